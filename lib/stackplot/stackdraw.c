// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stackplot/stackdraw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/axis.h"
#include "lib/draw/embed.h"
#include "lib/stream/unit.h"

enum {
	LEFT = 100,
	TOP = 66,
	PLOT_WIDTH = 860,
	PLOT_HEIGHT = 430,
	BOTTOM = 100, /* for ticks, title, what the script says, and the command */
	LEGEND_GAP = 24,
	LEGEND_WIDTH = 284,
	LEGEND_ROW = 20,
	SWATCH = 12,
	NAME_PX = 144,
	TICK_PX = LEFT - 8 - 24,
	WIDTH = LEFT + PLOT_WIDTH + LEGEND_GAP + LEGEND_WIDTH,
	SHARES_DESCRIBED = 5, /* layers named in the description */
	SEAMS_MAX = 16,	      /* with more layers, lines between them would hide thin ones */
};

struct picture {
	const struct mp_stackplot *s;
	const struct mp_stackdraw *d;
	struct mp_axis x, y;
	const char *y_suffix;
	double y_factor; /* converts a value to the unit of the axis, such as B to MiB */
	struct mp_buf *to;
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* The height of a layer in a bin, in the unit of the axis. */
static double height_of(const struct picture *p, double value, size_t bin)
{
	return p->d->percent ? 100 * share(value, p->s->totals[bin]) : value * p->y_factor;
}

static double y_of(const struct picture *p, double value)
{
	return TOP + PLOT_HEIGHT * (1 - mp_axis_at(&p->y, value));
}

static double x_of(const struct picture *p, size_t bin)
{
	return LEFT + (double)PLOT_WIDTH * (double)bin / (double)p->s->n_bins;
}

/* The name of a layer; "other: 27 labels" for the layer without a name. */
static struct mp_str name_of(const struct picture *p, const struct mp_stack_layer *l, char room[64])
{
	if (l->label.p)
		return l->label.len ? l->label : MP_STR("(empty)");
	if (p->s->n_other)
		return (struct mp_str){ room, snprintf(room, 64, "other: %zu label%s",
						       p->s->n_other, mp_plural(p->s->n_other)) };
	return MP_STR("other");
}

static void put_amount(const struct picture *p, char to[MP_UNIT_MAX], double area)
{
	if (p->d->mean && p->s->n_bins)
		area /= (double)p->s->n_bins;
	mp_unit_put(to, p->d->unit, area);
}

void mp_stackdraw_width(char to[MP_UNIT_MAX], const struct mp_stackplot *s,
			const struct mp_stackdraw *d)
{
	mp_unit_put(to, d->is_time ? "ns" : d->x_unit, s->width);
}

static void make_axes(struct picture *p)
{
	const struct mp_stackplot *s = p->s;
	double span = s->width * (double)MP_MAX(s->n_bins, 1);
	double peak = p->d->rate ? s->peak / s->width : s->peak, top = peak > 0 ? peak * 1.04 : 1;
	struct mp_scale scale = mp_unit_scale(p->d->rate ? "" : p->d->unit, peak);

	p->x = (struct mp_axis){ MP_AXIS_LINEAR, s->low, s->low + span, p->d->x_unit };
	if (p->d->is_time)
		p->x = (struct mp_axis){ MP_AXIS_TIME, 0, span, "ns" };
	else if (!(p->x.high > p->x.low)) /* the bin is narrower than the precision of a double */
		p->x.high = nextafter(p->x.low, INFINITY);
	p->y_factor = 1 / scale.divisor / (p->d->rate ? s->width : 1);
	p->y = (struct mp_axis){ MP_AXIS_LINEAR, 0, top / scale.divisor, "" };
	p->y_suffix = p->d->percent ? "%" : scale.suffix;
	if (p->d->percent)
		p->y = (struct mp_axis){ MP_AXIS_LINEAR, 0, 100, "" };
}

static void draw_line(struct mp_buf *to, const char *class, double x1, double y1, double x2,
		      double y2)
{
	mp_buf_printf(to, "<path class=\"%s\" d=\"M", class);
	mp_svg_num(to, x1);
	mp_buf_byte(to, ' ');
	mp_svg_num(to, y1);
	mp_buf_byte(to, 'L');
	mp_svg_num(to, x2);
	mp_buf_byte(to, ' ');
	mp_svg_num(to, y2);
	mp_buf_printf(to, "\"/>\n");
}

static void draw_titles(struct picture *p)
{
	double bottom = TOP + PLOT_HEIGHT, middle = TOP + PLOT_HEIGHT / 2.0;
	char attrs[96];

	snprintf(attrs, sizeof(attrs),
		 "class=\"dim\" text-anchor=\"middle\" transform=\"rotate(-90 16 %g)\"", middle);
	mp_svg_label(p->to, 16, middle, attrs, p->d->y_title, PLOT_HEIGHT, MP_SVG_FONT);
	mp_svg_label(p->to, LEFT + PLOT_WIDTH / 2.0, bottom + 40,
		     "class=\"dim\" text-anchor=\"middle\"", p->d->x_title, PLOT_WIDTH,
		     MP_SVG_FONT);
}

static void draw_axes(struct picture *p)
{
	struct mp_tick ticks[MP_TICKS_MAX];
	double bottom = TOP + PLOT_HEIGHT, at;
	char label[2 * MP_UNIT_MAX];
	size_t n, i;

	n = mp_axis_ticks(&p->y, PLOT_HEIGHT, true, MP_SVG_FONT, ticks);
	for (i = 0; i < n; i++) {
		at = TOP + PLOT_HEIGHT * (1 - ticks[i].at);
		if (ticks[i].minor)
			continue;
		draw_line(p->to, "grid", LEFT, at, LEFT + PLOT_WIDTH, at);
		snprintf(label, sizeof(label), "%s%s%s", ticks[i].label, *p->y_suffix ? " " : "",
			 p->y_suffix);
		mp_svg_label(p->to, LEFT - 8, at + 4, "class=\"dim\" text-anchor=\"end\"",
			     mp_str(label), TICK_PX, MP_SVG_FONT);
	}
	n = mp_axis_ticks(&p->x, PLOT_WIDTH, false, MP_SVG_FONT, ticks);
	for (i = 0; i < n; i++) {
		at = LEFT + PLOT_WIDTH * ticks[i].at;
		draw_line(p->to, "axis", at, bottom, at, bottom + (ticks[i].minor ? 3 : 5));
		if (!ticks[i].minor)
			mp_svg_label(p->to, at, bottom + 19, "class=\"dim\" text-anchor=\"middle\"",
				     mp_str(ticks[i].label), 0, MP_SVG_FONT);
	}
	draw_line(p->to, "axis", LEFT, bottom, LEFT + PLOT_WIDTH, bottom);
}

/* Adds the attributes that colour a layer; "other" is hatched, as no name is. */
static void put_class(struct picture *p, const char *class, size_t layer)
{
	if (p->s->layers[layer].label.p)
		mp_buf_printf(p->to, "class=\"%s l%zu\"", class, layer);
	else
		mp_buf_printf(p->to, "class=\"%s\" fill=\"url(#mp-other)\"", class);
}

/*
 * Draws from the upper edge of a layer down to the axis. The layers below cover its lower part, so
 * each edge is written once and there is no gap between two layers.
 */
static void draw_area(struct picture *p, size_t layer, const double *edge)
{
	const struct mp_stack_layer *l = &p->s->layers[layer];
	double bottom = TOP + PLOT_HEIGHT, last = bottom, y;
	char room[64];
	size_t i;

	mp_buf_printf(p->to, "<path ");
	put_class(p, "a", layer);
	mp_buf_printf(p->to, " data-i=\"%zu\" d=\"M%d %g", layer, LEFT, bottom);
	for (i = 0; i < p->s->n_bins; i++) {
		y = round(10 * y_of(p, edge[i])) / 10;
		if (y == last)
			continue;
		if (i) {
			mp_buf_byte(p->to, 'H');
			mp_svg_num(p->to, x_of(p, i));
		}
		mp_buf_byte(p->to, 'V');
		mp_svg_num(p->to, y);
		last = y;
	}
	mp_buf_printf(p->to, "H%dV%gZ\"><title>", LEFT + PLOT_WIDTH, bottom);
	mp_svg_text(p->to, name_of(p, l, room));
	mp_buf_printf(p->to, "</title></path>\n");
}

static void draw_areas(struct picture *p)
{
	const struct mp_stackplot *s = p->s;
	double *edge = mp_zalloc(MP_MAX(s->n_bins, 1) * sizeof(*edge));
	size_t i, k;

	for (k = 0; k < s->n_bins; k++)
		for (i = 0; i < s->n_layers; i++)
			edge[k] += height_of(p, s->layers[i].values[k], k);
	mp_buf_printf(p->to, "<g id=\"areas\">\n");
	for (i = s->n_layers; i-- > 0;) {
		draw_area(p, i, edge);
		for (k = 0; k < s->n_bins; k++)
			edge[k] -= height_of(p, s->layers[i].values[k], k);
	}
	mp_buf_printf(p->to, "</g>\n");
	free(edge);
}

/* Draws the legend, with the uppermost layer first. */
static void draw_legend(struct picture *p)
{
	double x = LEFT + PLOT_WIDTH + LEGEND_GAP, y = TOP;
	char room[64], amount[MP_UNIT_MAX], text[MP_UNIT_MAX + 32];
	size_t i;

	for (i = p->s->n_layers; i-- > 0; y += LEGEND_ROW) {
		const struct mp_stack_layer *l = &p->s->layers[i];

		put_amount(p, amount, l->area);
		snprintf(text, sizeof(text), "%s  %5.1f %%", amount,
			 100 * share(l->area, p->s->area));
		mp_buf_printf(p->to, "<g class=\"k\" data-i=\"%zu\"><rect ", i);
		put_class(p, "s", i);
		mp_buf_printf(p->to, " x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
			      x, y, SWATCH, SWATCH);
		mp_svg_label(p->to, x + SWATCH + 7, y + 10, "", name_of(p, l, room), NAME_PX,
			     MP_SVG_FONT);
		mp_svg_label(p->to, x + LEGEND_WIDTH - 10, y + 10,
			     "class=\"dim\" text-anchor=\"end\"", mp_str(text), 0, MP_SVG_FONT);
		mp_buf_printf(p->to, "</g>\n");
	}
}

/* --- colours, description, script ------------------------------------------------------------- */

static void make_colours(struct picture *p, struct mp_buf *css, struct mp_buf *dark)
{
	size_t named = p->s->n_layers && !p->s->layers[0].label.p ? 1 : 0;
	size_t n = p->s->n_layers - named, i;
	struct mp_str *names = mp_alloc(n * sizeof(*names));
	unsigned *slots = mp_alloc(n * sizeof(*slots));
	char class[32];

	for (i = 0; i < n; i++)
		names[i] = p->s->layers[named + i].label;
	mp_palette_assign(names, n, slots);
	for (i = 0; i < p->s->n_layers; i++) {
		struct mp_rgb colours[MP_PAPERS];
		int paper;

		for (paper = 0; paper < MP_PAPERS; paper++)
			colours[paper] = i < named ? mp_palette_other(paper)
						   : mp_palette_slot(slots[i - named], paper);
		snprintf(class, sizeof(class), "l%zu", i);
		mp_svg_fill_rule(css, dark, class, colours);
	}
	free(names);
	free(slots);
}

static void describe(const struct picture *p, struct mp_buf *to)
{
	const struct mp_stackplot *s = p->s;
	char room[64], amount[MP_UNIT_MAX];
	size_t i, n = 0;

	if (s->n_bins == 0) {
		mp_buf_str(to, MP_STR("Nothing to draw: the input has no values."));
		return;
	}
	mp_buf_str(to, p->d->subtitle);
	mp_stackdraw_width(amount, s, p->d);
	mp_buf_printf(to, ". Stacked areas of %zu layer%s in %zu bin%s of %s. ", s->n_layers,
		      mp_plural(s->n_layers), s->n_bins, mp_plural(s->n_bins), amount);
	for (i = s->n_layers; i-- > 0 && n < SHARES_DESCRIBED; n++) {
		/* the order of layers is by weight: the heaviest is the lowest one above "other" */
		size_t first = s->layers[0].label.p ? 0 : 1;
		const struct mp_stack_layer *l = &s->layers[(first + n) % s->n_layers];

		put_amount(p, amount, l->area);
		mp_buf_printf(to, "%s", n ? "; " : "Heaviest: ");
		mp_buf_str(to, name_of(p, l, room));
		mp_buf_printf(to, " %s (%.1f %%)", amount, 100 * share(l->area, s->area));
	}
	mp_buf_printf(to, ".");
}

static void add_text(struct mp_buf *to, const char *key, struct mp_str text)
{
	mp_buf_printf(to, "%s:", key);
	mp_svg_json(to, text);
	mp_buf_byte(to, ',');
}

static void make_data(const struct picture *p, struct mp_buf *to)
{
	const struct mp_stackplot *s = p->s;
	char room[64];
	size_t i, k;

	mp_buf_printf(to,
		      "var D={x:%d,y:%d,w:%d,h:%d,n:%zu,low:%.17g,bin:%.17g,time:%d,percent:"
		      "%d,",
		      LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, s->n_bins, p->d->is_time ? 0 : s->low,
		      s->width, p->d->is_time, p->d->percent);
	mp_buf_printf(to, "top:%.17g,mean:%d,spread:%d,",
		      p->d->percent ? 100 : p->y.high / p->y_factor, p->d->mean, p->d->spread);
	if (s->exact)
		mp_buf_printf(to, "first:\"%lld\",", (long long)s->first);
	add_text(to, "field", p->d->x_field);
	if (p->d->rate)
		add_text(to, "rate", mp_str(p->d->rate));
	if (p->d->events)
		add_text(to, "events", mp_str(p->d->events));
	mp_svg_files(to, p->d->files);
	mp_buf_printf(to, ",unit:");
	mp_svg_json(to, mp_str(p->d->unit));
	mp_buf_printf(to, ",xunit:");
	mp_svg_json(to, mp_str(p->d->is_time ? "ns" : p->d->x_unit));
	mp_buf_printf(to, ",lost:");
	mp_lossbins_json(&s->losses, to);
	mp_buf_printf(to, ",names:[");
	for (i = 0; i < s->n_layers; i++) {
		if (i)
			mp_buf_byte(to, ',');
		mp_svg_json(to, name_of(p, &s->layers[i], room));
	}
	mp_buf_printf(to, "],values:[");
	for (i = 0; i < s->n_layers; i++) {
		mp_buf_printf(to, "%s[", i ? ",\n" : "\n");
		for (k = 0; k < s->n_bins; k++)
			mp_buf_printf(to, k ? ",%.6g" : "%.6g", s->layers[i].values[k]);
		mp_buf_byte(to, ']');
	}
	mp_buf_printf(to, "]};");
}

static MP_EMBED(script, ".incbin \"lib/draw/units.js\"\n"
			".incbin \"lib/draw/draw.js\"\n"
			".incbin \"lib/draw/command.js\"\n"
			".incbin \"lib/draw/link.js\"\n"
			".incbin \"lib/stackplot/stackplot.js\"\n");

/* Draws what the script moves and fills; it is invisible without it. */
static void draw_handles(struct picture *p)
{
	double bottom = TOP + PLOT_HEIGHT;

	mp_buf_printf(
		p->to,
		"<rect id=\"mp-hit\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"tabindex=\"0\" role=\"application\" aria-label=\"Areas: arrow keys move, with "
		"shift they select a range\" aria-describedby=\"mp-desc\"/>\n",
		LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
	mp_buf_printf(p->to,
		      "<text id=\"mp-read\" x=\"%d\" y=\"%g\" class=\"dim\" role=\"status\" "
		      "aria-live=\"polite\"></text>\n<text id=\"mp-cmd\" x=\"%d\" y=\"%g\" "
		      "class=\"mono\" aria-live=\"polite\"></text>\n",
		      LEFT, bottom + 64, LEFT, bottom + 84);
}

static void make_css(struct picture *p, struct mp_buf *css, struct mp_buf *dark)
{
	make_colours(p, css, dark);
	mp_buf_printf(css, ".k{cursor:default}.hatch{stroke:#fff;stroke-width:2}\n"
			   "#mp-hit{fill:transparent;cursor:crosshair;outline:none}"
			   "#mp-hit:focus-visible{outline:2px solid #0969da}"
			   ".range{fill:#0969da;fill-opacity:.15;stroke:#0969da}"
			   ".outline{fill:none;stroke:#1f2328;stroke-width:1.5}\n");
	mp_buf_printf(dark, ".hatch{stroke:#0d1117}.outline{stroke:#fff}\n");
	if (p->s->n_layers <= SEAMS_MAX) {
		mp_buf_printf(css, ".a{stroke:#fff;stroke-width:.4}\n");
		mp_buf_printf(dark, ".a{stroke:#0d1117}\n");
	}
	mp_buf_byte(css, '\0');
	mp_buf_byte(dark, '\0');
}

static void draw(struct picture *p)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 }, text = { NULL, 0, 0 };
	double legend = TOP + (double)p->s->n_layers * LEGEND_ROW + 16;

	make_css(p, &css, &dark);
	describe(p, &text);
	mp_svg_begin(p->to, &(struct mp_svg_doc){
				    .width = WIDTH,
				    .height = MP_MAX(TOP + PLOT_HEIGHT + BOTTOM, legend),
				    .title = p->d->title,
				    .desc = mp_buf_view(&text),
				    .css = css.p,
				    .dark_css = dark.p,
			    });
	mp_svg_label(p->to, LEFT, 28, "class=\"title\"", p->d->title, WIDTH - LEFT - 20,
		     MP_SVG_TITLE);
	mp_svg_label(p->to, LEFT, 48, "class=\"dim\"", p->d->subtitle, WIDTH - LEFT - 20,
		     MP_SVG_FONT);
	if (p->s->n_layers && !p->s->layers[0].label.p)
		mp_buf_str(p->to, MP_STR("<defs><pattern id=\"mp-other\" width=\"6\" height=\"6\" "
					 "patternUnits=\"userSpaceOnUse\" "
					 "patternTransform=\"rotate(45)\"><rect class=\"l0\" "
					 "width=\"6\" height=\"6\"/><path class=\"hatch\" "
					 "d=\"M0 0v6\"/></pattern></defs>\n"));
	if (p->s->n_bins) {
		draw_axes(p);
		draw_titles(p);
	} else {
		mp_svg_label(p->to, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT / 2.0,
			     "class=\"dim\" text-anchor=\"middle\"", MP_STR("no values"), 0,
			     MP_SVG_FONT);
	}
	draw_areas(p);
	draw_handles(p);
	mp_lossbins_svg(&p->s->losses, p->to,
			&(struct mp_lossbins_place){ LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT });
	draw_legend(p);
	text.len = 0;
	make_data(p, &text);
	mp_svg_script(p->to, mp_buf_view(&text), script());
	mp_svg_end(p->to);
	mp_buf_release(&css);
	mp_buf_release(&dark);
	mp_buf_release(&text);
}

void mp_stackdraw_svg(struct mp_buf *to, const struct mp_stackplot *s, const struct mp_stackdraw *d)
{
	struct picture p = { .s = s, .d = d, .to = to };

	make_axes(&p);
	draw(&p);
}
