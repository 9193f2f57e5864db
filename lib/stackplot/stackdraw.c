// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stackplot/stackdraw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/axis.h"
#include "lib/draw/embed.h"
#include "lib/stream/unit.h"

enum {
	LEFT = 84,
	TOP = 66,
	PLOT_WIDTH = 860,
	PLOT_HEIGHT = 430,
	BOTTOM = 56,
	LEGEND_GAP = 24,
	LEGEND_WIDTH = 300,
	LEGEND_ROW = 20,
	SWATCH = 12,
	NAME_PX = 160,
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
	struct mp_scale scale = mp_unit_scale(p->d->unit, s->peak);
	double top = s->peak > 0 ? s->peak * 1.04 : 1;

	p->x = (struct mp_axis){ MP_AXIS_LINEAR, s->low, s->low + span, p->d->x_unit };
	if (p->d->is_time)
		p->x = (struct mp_axis){ MP_AXIS_TIME, 0, span, "ns" };
	else if (!(p->x.high > p->x.low)) /* the bin is narrower than the precision of a double */
		p->x.high = nextafter(p->x.low, INFINITY);
	p->y_factor = 1 / scale.divisor;
	p->y = (struct mp_axis){ MP_AXIS_LINEAR, 0, top * p->y_factor, "" };
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
			     mp_str(label), LEFT - 12, MP_SVG_FONT);
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
	if (p->d->is_time)
		mp_svg_label(p->to, LEFT + PLOT_WIDTH / 2.0, bottom + 40,
			     "class=\"dim\" text-anchor=\"middle\"", MP_STR("time"), 0,
			     MP_SVG_FONT);
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

	mp_buf_printf(p->to, "<path class=\"a l%zu\" data-i=\"%zu\" d=\"M%d %g", layer, layer, LEFT,
		      bottom);
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
		mp_buf_printf(p->to,
			      "<g class=\"k\" data-i=\"%zu\"><rect class=\"l%zu\" x=\"%g\" "
			      "y=\"%g\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
			      i, i, x, y, SWATCH, SWATCH);
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
	mp_buf_printf(to, "unit:");
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
			".incbin \"lib/stackplot/stackplot.js\"\n");

static void draw(struct picture *p)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 }, text = { NULL, 0, 0 };
	double legend = TOP + (double)p->s->n_layers * LEGEND_ROW + 16;

	make_colours(p, &css, &dark);
	mp_buf_printf(&css, ".k{cursor:default}\n");
	if (p->s->n_layers <= SEAMS_MAX) {
		mp_buf_printf(&css, ".a{stroke:#fff;stroke-width:.4}\n");
		mp_buf_printf(&dark, ".a{stroke:#0d1117}\n");
	}
	mp_buf_byte(&css, '\0');
	mp_buf_byte(&dark, '\0');
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
	if (p->s->n_bins)
		draw_axes(p);
	else
		mp_svg_label(p->to, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT / 2.0,
			     "class=\"dim\" text-anchor=\"middle\"", MP_STR("no values"), 0,
			     MP_SVG_FONT);
	draw_areas(p);
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
