// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatsvg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/svg.h"
#include "lib/heatmap/caption.h"
#include "lib/heatmap/heatcells.h"
#include "lib/stream/unit.h"

/* --- axes ------------------------------------------------------------------------------------- */

static void label(struct mp_heat_drawing *d, double x, double y, const char *attrs,
		  const char *text)
{
	mp_svg_label(d->to, x, y, attrs, mp_str(text), 0, MP_SVG_FONT);
}

static void draw_y_ticks(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_tick t[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(&d->h->y.axis, l->h, true, MP_SVG_FONT, t), i;

	for (i = 0; i < n; i++) {
		double y = l->top + l->h * (1 - t[i].at);

		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %.2fh-%d\"/>\n", l->left, y,
			      t[i].minor ? 3 : 6);
		if (t[i].minor || (l->above_y > 0 && y < l->top + 8) ||
		    (l->below_y > 0 && y > l->top + l->h - 8))
			continue;
		label(d, (l->below_x > 0 ? l->below_x : l->left) - 9, y + 4, "text-anchor=\"end\"",
		      t[i].label);
	}
}

static void draw_beyond_label(struct mp_heat_drawing *d, double y, bool above)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_heat_beyond(&text, &d->h->y, &d->h->info->y, above);
	mp_svg_label(d->to, (d->l.below_x > 0 ? d->l.below_x : d->l.left) - 9,
		     y + MP_HEAT_BEYOND - 3, "text-anchor=\"end\" class=\"dim\"",
		     mp_buf_view(&text), 0, MP_SVG_FONT);
	mp_buf_release(&text);
}

static void draw_y_names(struct mp_heat_drawing *d)
{
	const struct mp_bins *b = &d->h->y;
	double height = mp_heat_row_px(d->h);
	size_t every = mp_axis_label_every(b->n, height, MP_HEAT_SMALL * 1.17), i;

	for (i = 0; i < b->n; i += every)
		mp_svg_label(d->to, d->l.left - 9, d->l.y_px[i] + height / 2 + 4,
			     "text-anchor=\"end\" class=\"name\"", b->name[i], MP_HEAT_NAME_PX,
			     MP_HEAT_SMALL);
}

static void draw_y_axis(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;

	mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %gv%g\"/>\n", l->left, l->top, l->h);
	if (d->h->y.names)
		draw_y_names(d);
	else
		draw_y_ticks(d);
	if (l->above_y > 0)
		draw_beyond_label(d, l->above_y, true);
	if (l->below_y > 0)
		draw_beyond_label(d, l->below_y, false);
}

/* The title of the y axis, once for all panels. */
static void draw_y_title(struct mp_heat_drawing *d)
{
	double height = d->l.h + d->l.step * (d->h->n_panes - 1), middle = d->l.top + height / 2;
	struct mp_buf title = { NULL, 0, 0 };
	char attrs[96];

	mp_heat_axis_title(&title, d->h, &d->h->y, &d->h->info->y);
	snprintf(attrs, sizeof(attrs),
		 "text-anchor=\"middle\" class=\"dim\" transform=\"rotate(-90 16 %g)\"", middle);
	mp_svg_label(d->to, 16, middle, attrs, mp_buf_view(&title), MP_MAX(height, 80.0),
		     MP_SVG_FONT);
	mp_buf_release(&title);
}

static void draw_x_ticks(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_tick t[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(&d->h->x.axis, l->w, false, MP_SVG_FONT, t), i;

	for (i = 0; i < n; i++) {
		double x = l->left + l->w * t[i].at;

		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%.2f %gv%d\"/>\n", x, d->foot,
			      t[i].minor ? 3 : 6);
		if (!t[i].minor)
			label(d, x, d->foot + 19, "text-anchor=\"middle\"", t[i].label);
	}
}

static void draw_x_name(struct mp_heat_drawing *d, double x, struct mp_str name)
{
	char attrs[128] = "text-anchor=\"middle\" class=\"name\"";
	double y = d->foot + (d->upright_names ? 8 : 17);

	if (d->upright_names)
		snprintf(attrs, sizeof(attrs),
			 "text-anchor=\"end\" class=\"name\" transform=\"rotate(-90 %.2f %g)\"",
			 x + 4, y);
	mp_svg_label(d->to, d->upright_names ? x + 4 : x, y, attrs, name, MP_HEAT_NAME_PX,
		     MP_HEAT_SMALL);
}

static void draw_x_names(struct mp_heat_drawing *d)
{
	const struct mp_bins *b = &d->h->x;
	double width = mp_heat_column_px(b);
	size_t every = mp_axis_label_every(b->n, width, MP_HEAT_SMALL * 1.2), i;

	for (i = 0; i < b->n; i += every)
		draw_x_name(d, d->l.x_px[i] + width / 2, b->name[i]);
	if (d->l.below_x > 0)
		draw_x_name(d, d->l.below_x + MP_HEAT_BEYOND / 2.0, MP_STR("other"));
}

static void draw_x_axis(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_buf title = { NULL, 0, 0 };

	mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %gh%g\"/>\n", l->left, d->foot, l->w);
	if (d->h->x.names)
		draw_x_names(d);
	else
		draw_x_ticks(d);
	mp_heat_axis_title(&title, d->h, &d->h->x, &d->h->info->x);
	mp_svg_label(d->to, l->left + l->w / 2, d->foot + mp_heat_foot_px(d) - 6,
		     "text-anchor=\"middle\" class=\"dim\"", mp_buf_view(&title), l->w + 60,
		     MP_SVG_FONT);
	mp_buf_release(&title);
}

/* --- percentiles ------------------------------------------------------------------------------ */

static double y_of(const struct mp_heat_drawing *d, double value)
{
	const struct mp_axis *a = &d->h->y.axis;
	double at = a->kind == MP_AXIS_LOG && value <= 0 ? 0 : mp_axis_at(a, value);

	return d->l.top + d->l.h * (1 - MP_MIN(MP_MAX(at, 0.0), 1.0));
}

static void percentile_path(struct mp_heat_drawing *d, const double *values, const char *class)
{
	bool pen = false;
	size_t i;

	mp_buf_printf(d->to, "<path class=\"%s\" d=\"", class);
	for (i = 0; i < d->h->x.n; i++) {
		double y = y_of(d, values[i]);

		if (isnan(values[i])) {
			pen = false;
			continue;
		}
		if (pen)
			mp_buf_printf(d->to, "V%.1fH%g", y, d->l.x_px[i + 1]);
		else
			mp_buf_printf(d->to, "M%g %.1fH%g", d->l.x_px[i], y, d->l.x_px[i + 1]);
		pen = true;
	}
	mp_buf_printf(d->to, "\"/>\n");
}

struct mark {
	double y, share;
};

static int by_y(const void *a, const void *b)
{
	double x = ((const struct mark *)a)->y, y = ((const struct mark *)b)->y;

	return (x > y) - (x < y);
}

static void draw_percentiles(struct mp_heat_drawing *d)
{
	const struct mp_heat *h = d->h;
	struct mark *marks = mp_alloc((h->n_percentiles + 1) * sizeof(*marks));
	size_t p, i, n = 0;
	double low = -HUGE_VAL;

	for (p = 0; p < h->n_percentiles; p++) {
		const double *values = &h->percentile[p * h->x.n];

		percentile_path(d, values, "casing");
		percentile_path(d, values, "pct");
		for (i = h->x.n; i > 0 && isnan(values[i - 1]); i--)
			;
		if (i)
			marks[n++] =
				(struct mark){ y_of(d, values[i - 1]), d->look->percentiles[p] };
	}
	qsort(marks, n, sizeof(*marks), by_y);
	for (i = 0; i < n; i++) {
		char text[32];

		low = MP_MAX(marks[i].y, low + 15);
		snprintf(text, sizeof(text), "p%.6g", marks[i].share * 100);
		label(d, d->right + 6, low + 4, "", text);
	}
	free(marks);
}

/* --- legend ----------------------------------------------------------------------------------- */

/* Labels the greatest sum, and 1, 2 and 5 times the powers of ten below it if there is room. */
static void bar_labels(struct mp_heat_drawing *d, double top, double height)
{
	double last = -HUGE_VAL, tens = pow(10, floor(log10((double)d->h->max)));
	char text[MP_UNIT_MAX];
	int step = -1;

	for (;; step++) {
		static const double steps[] = { 5, 2, 1 };
		double v = step < 0 ? (double)d->h->max : steps[step % 3] * tens, y;

		if (step >= 0 && step % 3 == 2)
			tens /= 10;
		if (v < 1)
			return;
		if (v > d->h->max || (step >= 0 && v == (double)d->h->max))
			continue;
		y = top + height * (1 - mp_heat_share(d->h, step < 0 ? d->h->max : (uint64_t)v));
		if (y < last + 15)
			continue;
		last = y;
		mp_unit_put(text, d->h->info->unit, v);
		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %.2fh3\"/>\n",
			      d->bar_x + MP_HEAT_BAR, y);
		mp_svg_label(d->to, d->bar_x + MP_HEAT_BAR + 6, y + 4, "class=\"name\"",
			     mp_str(text), 0, MP_HEAT_SMALL);
	}
}

/* Labels the ends and the middle of the scale of differences, in percentage points. */
static void difference_labels(struct mp_heat_drawing *d, double top, double height)
{
	char text[32];
	int i;

	for (i = -1; i <= 1; i++) {
		double y = top + height * (1 - i) / 2;

		snprintf(text, sizeof(text), i ? "%+.2g %%" : "0", i * 100 * d->h->greatest);
		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %.2fh3\"/>\n",
			      d->bar_x + MP_HEAT_BAR, y);
		mp_svg_label(d->to, d->bar_x + MP_HEAT_BAR + 6, y + 4, "class=\"name\"",
			     mp_str(text), 0, MP_HEAT_SMALL);
	}
}

static void draw_bar(struct mp_heat_drawing *d)
{
	double top = d->l.top + 18, height = MP_MIN(MP_MAX(d->l.h - 18, 60.0), 216.0);
	unsigned i;

	mp_svg_label(d->to, d->bar_x, d->l.top + 8, "class=\"dim\"",
		     mp_str(d->h->before ? "change" : d->h->info->weight),
		     MP_HEAT_BAR + 6 + mp_heat_bar_px(d->h), MP_SVG_FONT);
	mp_buf_printf(d->to, "<g shape-rendering=\"crispEdges\">\n");
	for (i = 0; i < MP_HEAT_LEVELS; i++)
		mp_buf_printf(d->to,
			      "<rect class=\"c%u\" x=\"%g\" y=\"%.2f\" width=\"%d\" "
			      "height=\"%.2f\"/>\n",
			      i, d->bar_x, top + height * (MP_HEAT_LEVELS - 1 - i) / MP_HEAT_LEVELS,
			      MP_HEAT_BAR, height / MP_HEAT_LEVELS);
	mp_buf_printf(d->to, "</g>\n");
	if (d->h->before)
		difference_labels(d, top, height);
	else if (d->h->max)
		bar_labels(d, top, height);
}

static void draw_notes(struct mp_heat_drawing *d)
{
	struct mp_str rest = mp_buf_view(&d->notes);
	double y = d->notes_y;

	while (rest.len) {
		size_t len = (const char *)memchr(rest.p, '\n', rest.len) - rest.p;

		mp_svg_label(d->to, d->l.left, y, "", (struct mp_str){ rest.p, len },
			     d->l.width - d->l.left - 10, MP_SVG_FONT);
		rest.p += len + 1;
		rest.len -= len + 1;
		y += 17;
	}
	mp_buf_printf(d->to,
		      "<text id=\"mp-read\" x=\"%g\" y=\"%g\" class=\"dim\" role=\"status\" "
		      "aria-live=\"polite\"></text>\n<text id=\"mp-cmd\" x=\"%g\" y=\"%g\" "
		      "class=\"mono\" aria-live=\"polite\"></text>\n",
		      d->l.left, y, d->l.left, y + 20);
}

/* --- the document ----------------------------------------------------------------------------- */

/* Sets the colours of a level; `palette` is NULL for differences. */
static void colour_level(struct mp_rgb c[MP_PAPERS], const struct mp_palette *palette,
			 unsigned level)
{
	double share = (double)level / (MP_HEAT_LEVELS - 1);
	unsigned paper;

	for (paper = 0; paper < MP_PAPERS; paper++)
		c[paper] = palette ? mp_palette_at(palette, paper, share)
			   : level == MP_HEAT_UNCERTAIN
				   ? mp_palette_diverging(paper, 0)
				   : mp_palette_diverging(paper,
							  (2.0 * level + 1) / MP_HEAT_LEVELS - 1);
}

static void make_css(struct mp_buf *css, struct mp_buf *dark, const struct mp_palette *palette)
{
	unsigned i;

	mp_buf_printf(css, "text.name{font-size:11px}.plot{fill:#f6f8fa}"
			   ".pct{fill:none;stroke:#1f2328;stroke-width:1.5}"
			   ".casing{fill:none;stroke:#fff;stroke-width:3.5;stroke-opacity:.65}\n"
			   "#mp-hit{fill:transparent;cursor:crosshair;outline:none}"
			   "#mp-cursor{fill:none;stroke:#1f2328;stroke-width:1.5}"
			   "#mp-range{fill:#0969da;fill-opacity:.15;stroke:#0969da}"
			   "#mp-cursor,#mp-range{pointer-events:none}"
			   "#mp-hit:focus-visible{outline:2px solid #0969da}\n");
	mp_buf_printf(dark, ".plot{fill:#010409}.pct{stroke:#fff}.casing{stroke:#010409}"
			    "#mp-cursor{stroke:#fff}\n");
	for (i = 0; i < MP_HEAT_LEVELS + !palette; i++) {
		struct mp_rgb c[MP_PAPERS];
		char class[16];

		colour_level(c, palette, i);
		snprintf(class, sizeof(class), "c%u", i);
		mp_svg_fill_rule(css, dark, class, c);
	}
}

/* `d`: the drawing if it has hues, else NULL. */
static void begin(struct mp_buf *to, const struct mp_heat_look *look, double width, double height,
		  struct mp_str desc, const struct mp_heat_drawing *d)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 };

	make_css(&css, &dark, look->palette);
	if (d)
		mp_heat_hue_css(&css, &dark, d);
	mp_buf_byte(&css, '\0');
	mp_buf_byte(&dark, '\0');
	mp_svg_begin(to, &(struct mp_svg_doc){ width, height, look->title, desc, css.p, dark.p });
	mp_buf_release(&css);
	mp_buf_release(&dark);
}

/* Draws the elements that the script moves; they are invisible without it. */
static void draw_handles(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	double left = l->below_x > 0 && l->below_x < l->left ? l->below_x : l->left;
	double top = l->above_y > 0 ? l->above_y : l->top;

	mp_buf_printf(d->to,
		      "<rect id=\"mp-range\" visibility=\"hidden\"/>\n"
		      "<rect id=\"mp-cursor\" visibility=\"hidden\"/>\n"
		      "<rect id=\"mp-hit\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" "
		      "tabindex=\"0\" role=\"application\" aria-label=\"Cells of the heat map: "
		      "arrow keys move, with shift they select\" "
		      "aria-describedby=\"mp-desc\"/>\n",
		      left, top, d->right - left, d->foot - top);
}

/* The name of a panel, and how much is in it. */
static void draw_panel_title(struct mp_heat_drawing *d, size_t pane)
{
	struct mp_buf text = { NULL, 0, 0 };
	double y = (d->l.above_y > 0 ? d->l.above_y : d->l.top) - 6, sum_width;

	mp_buf_printf(&text, "%s ", d->h->info->weight);
	mp_heat_put_sum(&text, d->h, d->h->panes[pane].sum);
	sum_width = mp_svg_width(mp_buf_view(&text), MP_HEAT_SMALL);
	mp_svg_label(d->to, d->l.left + d->l.w, y, "text-anchor=\"end\" class=\"name dim\"",
		     mp_buf_view(&text), 0, MP_HEAT_SMALL);
	mp_svg_label(d->to, d->l.left, y, "", mp_heat_pane_name(d->h, pane),
		     MP_MAX(d->l.w - sum_width - 12, 60.0), MP_SVG_FONT);
	mp_buf_release(&text);
}

/* Draws the cells of one panel, or of the only one, with its axis. */
static void draw_panel(struct mp_heat_drawing *d, size_t pane)
{
	const struct mp_heat *all = d->h;
	struct mp_heat part = *all;

	if (mp_heat_has_panels(all)) {
		part.cells = all->panes[pane].cells;
		if (all->n_percentiles)
			part.percentile += pane * all->n_percentiles * all->x.n;
		mp_buf_printf(d->to, "<g transform=\"translate(0,%g)\">\n", pane * d->l.step);
		draw_panel_title(d, pane);
	}
	d->h = &part;
	mp_heat_draw_cells(d);
	mp_lossbins_svg(&part.losses, d->to,
			&(struct mp_lossbins_place){ d->l.left, d->l.top, d->l.w, d->l.h });
	if (part.n_percentiles)
		draw_percentiles(d);
	draw_y_axis(d);
	d->h = all;
	if (mp_heat_has_panels(all))
		mp_buf_printf(d->to, "</g>\n");
}

void mp_heat_svg(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_look *look)
{
	struct mp_heat_drawing d = { .to = to, .h = h, .look = look };
	struct mp_buf text = { NULL, 0, 0 }, data = { NULL, 0, 0 };
	size_t i;

	mp_heat_lay_out(&d);
	if (h->hue)
		mp_heat_find_hues(&d);
	mp_heat_describe(&text, h);
	begin(to, look, d.l.width, d.l.height, mp_buf_view(&text), h->hue ? &d : NULL);
	mp_svg_label(to, d.l.left, 26, "class=\"title\"", look->title,
		     (d.l.width - d.l.left - 10) / 1.1, MP_SVG_TITLE);
	text.len = 0;
	mp_heat_subtitle(&text, h);
	mp_svg_label(to, d.l.left, 46, "class=\"dim\"", mp_buf_view(&text),
		     d.l.width - d.l.left - 10, MP_SVG_FONT);
	for (i = 0; i < (h->hue ? 1 : h->n_panes); i++)
		draw_panel(&d, i);
	draw_y_title(&d);
	draw_x_axis(&d);
	if (h->hue)
		mp_heat_draw_hues(&d);
	else
		draw_bar(&d);
	draw_notes(&d);
	draw_handles(&d);
	mp_heat_data(&data, h, &d.l, look->events, look->files);
	mp_svg_script(to, mp_buf_view(&data), mp_heat_script());
	mp_svg_end(to);
	free(d.l.x_px);
	free(d.l.y_px);
	free(d.slots);
	mp_buf_release(&d.notes);
	mp_buf_release(&text);
	mp_buf_release(&data);
}

void mp_heat_svg_empty(struct mp_buf *to, const struct mp_heat_look *look)
{
	begin(to, look, 640, 160, MP_STR("There is nothing to draw: no record is within the axes."),
	      NULL);
	mp_svg_label(to, 24, 30, "class=\"title\"", look->title, 560, MP_SVG_TITLE);
	mp_svg_label(to, 24, 84, "class=\"dim\"",
		     MP_STR("nothing to draw: no record is within the axes"), 0, MP_SVG_FONT);
	mp_svg_end(to);
}
