// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatsvg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/svg.h"
#include "lib/heatmap/caption.h"
#include "lib/heatmap/heatdata.h"
#include "lib/stream/unit.h"

enum {
	LEVELS = 24,
	UNCERTAIN = LEVELS, /* the level of differences that chance may explain */
	PLOT_WIDTH = 900,
	PLOT_HEIGHT = 384,
	NAME_WIDTH = 170, /* maximum width of the labels of names */
	SMALL = 11,	  /* font size for the colour bar and for names */
	BEYOND = 14,
	GAP = 6,
	BAR_WIDTH = 14,
};

/* A picture being drawn. */
struct drawing {
	struct mp_buf *to;
	const struct mp_heat *h;
	const struct mp_heat_look *look;
	struct mp_heat_layout l;
	bool upright_names;   /* the labels of the x axis are vertical */
	double bottom, right; /* edges of the cells, including the overflow */
	double bar_x;
	double notes_y;
	struct mp_buf notes;
};

/* --- layout ----------------------------------------------------------------------------------- */

static double widest(const struct mp_bins *b, double font_px)
{
	struct mp_buf clean = { NULL, 0, 0 };
	double width = mp_svg_width(MP_STR("other"), font_px);
	size_t i;

	for (i = 0; i < b->n; i++) {
		clean.len = 0;
		mp_svg_clean(&clean, b->name[i]);
		width = MP_MAX(width, mp_svg_width(mp_buf_view(&clean), font_px));
	}
	mp_buf_release(&clean);
	return MP_MIN(width, (double)NAME_WIDTH);
}

static double label_width(const struct drawing *d)
{
	const struct mp_bins *b = &d->h->y;
	struct mp_tick ticks[MP_TICKS_MAX];
	struct mp_buf text = { NULL, 0, 0 };
	double width = 30;
	size_t n, i;

	if (b->names)
		return MP_MAX(width, widest(b, SMALL));
	n = mp_axis_ticks(&b->axis, d->l.h, true, MP_SVG_FONT, ticks);
	for (i = 0; i < n; i++)
		width = MP_MAX(width, mp_svg_width(mp_str(ticks[i].label), MP_SVG_FONT));
	for (i = 0; i < 2; i++) {
		text.len = 0;
		mp_heat_beyond(&text, b, &d->h->info->y, i);
		if (mp_heat_row(d->h, b->n + i))
			width = MP_MAX(width, mp_svg_width(mp_buf_view(&text), MP_SVG_FONT));
	}
	mp_buf_release(&text);
	return width;
}

/* Edges of bins, from `from` on, at whole px; values go up if `up` is set, names always down. */
static double *place_edges(const struct mp_bins *b, double from, double length, bool up)
{
	double *px = mp_alloc((b->n + 1) * sizeof(*px));
	size_t i;

	for (i = 0; i <= b->n; i++) {
		double at = (double)i / b->n;

		if (!b->names && !b->whole && b->axis.kind != MP_AXIS_TIME)
			at = mp_axis_at(&b->axis, b->edge[i]);
		at = round(at * length);
		px[i] = up && !b->names ? from + length - at : from + at;
	}
	return px;
}

static double row_height(const struct mp_bins *b)
{
	if (b->names)
		return b->n <= 24 ? 18 : b->n <= 64 ? 14 : b->n <= 128 ? 13 : 8;
	return MP_MAX(floor((double)PLOT_HEIGHT / b->n), 1.0);
}

static double column_width(const struct mp_bins *b)
{
	double width = MP_MAX(floor((double)PLOT_WIDTH / b->n), 1.0);

	return b->names ? MP_MIN(width, 64.0) : width;
}

/* The height of the ticks or names, and the axis title, below the cells. */
static double foot_height(struct drawing *d)
{
	const struct mp_bins *b = &d->h->x;

	if (!b->names)
		return 44;
	d->upright_names = widest(b, SMALL) + 8 > column_width(b);
	return d->upright_names ? widest(b, SMALL) + 32 : 44;
}

static size_t count_lines(struct mp_str text)
{
	size_t n = 0, i;

	for (i = 0; i < text.len; i++)
		n += text.p[i] == '\n';
	return n;
}

static double bar_label_width(const struct mp_heat *h)
{
	char text[MP_UNIT_MAX];

	if (h->before)
		return 62;
	mp_unit_put(text, h->info->unit, (double)h->max);
	return MP_MAX(mp_svg_width(mp_str(text), SMALL), 46);
}

static void lay_out(struct drawing *d)
{
	const struct mp_heat *h = d->h;
	struct mp_heat_layout *l = &d->l;
	double y = 62, head;

	l->beyond = BEYOND;
	l->w = column_width(&h->x) * h->x.n;
	l->h = row_height(&h->y) * h->y.n;
	l->left = ceil(34 + label_width(d));
	if (!h->x.names && mp_heat_column(h, h->x.n)) {
		l->below_x = l->left;
		l->left += BEYOND + GAP;
	}
	if (!h->y.names && mp_heat_row(h, h->y.n + 1)) {
		l->above_y = y;
		y += BEYOND + GAP;
	}
	l->top = y;
	d->bottom = y + l->h;
	if (mp_heat_row(h, h->y.n)) {
		l->below_y = d->bottom + GAP;
		d->bottom += BEYOND + GAP;
	}
	d->right = l->left + l->w;
	if (h->x.names ? mp_heat_column(h, h->x.n) : mp_heat_column(h, h->x.n + 1)) {
		*(h->x.names ? &l->below_x : &l->above_x) = d->right + GAP;
		d->right += BEYOND + GAP;
	}
	d->bar_x = d->right + (h->n_percentiles ? 52 : 22);
	d->notes_y = MP_MAX(d->bottom + foot_height(d), l->top + 120) + 22;
	l->x_px = place_edges(&h->x, l->left, l->w, false);
	l->y_px = place_edges(&h->y, l->top, l->h, true);
	mp_heat_notes(&d->notes, h);
	head = mp_svg_width(d->look->title, MP_SVG_TITLE) * 1.1 + l->left + 20;
	l->width = MP_MAX(d->bar_x + BAR_WIDTH + 6 + bar_label_width(h) + 12, MP_MIN(head, 1100));
	l->width = ceil(MP_MAX(l->width, 640));
	l->height = d->notes_y + 17 * count_lines(mp_buf_view(&d->notes)) + 44;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* The level of a difference: the lower half of all levels is for less, the upper one for more. */
static int level_of_difference(const struct mp_heat *h, size_t x, size_t y)
{
	bool certain;
	double d = mp_heat_difference(h, x, y, &certain);
	int level = (int)(mp_heat_difference_share(h, d) * LEVELS / 2);

	if (!certain || d == 0)
		return UNCERTAIN;
	level = MP_MIN(level, LEVELS / 2 - 1);
	return d < 0 ? LEVELS / 2 - 1 - level : LEVELS / 2 + level;
}

/* The level of a cell, or -1 if it is empty. */
static int level_of(const struct mp_heat *h, size_t x, size_t y)
{
	uint64_t value = mp_heat_cell(h, x, y);

	if (!value)
		return -1;
	if (h->before)
		return level_of_difference(h, x, y);
	return MP_MIN((int)(mp_heat_share(h, value) * LEVELS), LEVELS - 1);
}

/* Finds the place of a bin in px: its lower edge and its size. */
static void extent(const struct mp_bins *b, const double *px, size_t i, double below, double above,
		   double *at, double *size)
{
	if (i >= b->n) {
		*at = i == b->n ? below : above;
		*size = BEYOND;
		return;
	}
	*at = MP_MIN(px[i], px[i + 1]);
	*size = fabs(px[i + 1] - px[i]);
}

/* Draws the cells of one colour as one path; neighbours in a row are one rectangle. */
static void draw_level(struct drawing *d, int level)
{
	const struct mp_heat *h = d->h;
	const struct mp_heat_layout *l = &d->l;
	bool begun = false;
	size_t x, y, end;

	for (y = 0; y < h->y.n + 2; y++) {
		for (x = 0; x < h->x.n + 2; x = end) {
			double left, top, width, height, more, unused;

			end = x + 1;
			if (level_of(h, x, y) != level)
				continue;
			extent(&h->x, l->x_px, x, l->below_x, l->above_x, &left, &width);
			extent(&h->y, l->y_px, y, l->below_y, l->above_y, &top, &height);
			while (end < h->x.n && level_of(h, end, y) == level) {
				extent(&h->x, l->x_px, end++, 0, 0, &unused, &more);
				width += more;
			}
			if (!begun)
				mp_buf_printf(d->to, "<path class=\"c%d\" d=\"", level);
			begun = true;
			mp_buf_printf(d->to, "M%g %gh%gv%gh-%gz", left, top, width, height, width);
		}
	}
	if (begun)
		mp_buf_printf(d->to, "\"/>\n");
}

static void rect(struct mp_buf *to, const char *class, double x, double y, double w, double h)
{
	mp_buf_printf(to, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n",
		      class, x, y, w, h);
}

static void draw_cells(struct drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	int level;

	rect(d->to, "plot", l->left, l->top, l->w, l->h);
	if (l->above_y > 0)
		rect(d->to, "plot", l->left, l->above_y, l->w, BEYOND);
	if (l->below_y > 0)
		rect(d->to, "plot", l->left, l->below_y, l->w, BEYOND);
	if (l->below_x > 0)
		rect(d->to, "plot", l->below_x, l->top, BEYOND, l->h);
	if (l->above_x > 0)
		rect(d->to, "plot", l->above_x, l->top, BEYOND, l->h);
	mp_buf_printf(d->to, "<g shape-rendering=\"crispEdges\">\n");
	for (level = 0; level <= UNCERTAIN; level++)
		draw_level(d, level);
	mp_buf_printf(d->to, "</g>\n");
}

/* --- axes ------------------------------------------------------------------------------------- */

static void label(struct drawing *d, double x, double y, const char *attrs, const char *text)
{
	mp_svg_label(d->to, x, y, attrs, mp_str(text), 0, MP_SVG_FONT);
}

static void draw_y_ticks(struct drawing *d)
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

static void draw_beyond_label(struct drawing *d, double y, bool above)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_heat_beyond(&text, &d->h->y, &d->h->info->y, above);
	mp_svg_label(d->to, (d->l.below_x > 0 ? d->l.below_x : d->l.left) - 9, y + BEYOND - 3,
		     "text-anchor=\"end\" class=\"dim\"", mp_buf_view(&text), 0, MP_SVG_FONT);
	mp_buf_release(&text);
}

static void draw_y_names(struct drawing *d)
{
	const struct mp_bins *b = &d->h->y;
	double height = row_height(b);
	size_t every = mp_axis_label_every(b->n, height, SMALL * 1.17), i;

	for (i = 0; i < b->n; i += every)
		mp_svg_label(d->to, d->l.left - 9, d->l.y_px[i] + height / 2 + 4,
			     "text-anchor=\"end\" class=\"name\"", b->name[i], NAME_WIDTH, SMALL);
}

static void draw_y_axis(struct drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_buf title = { NULL, 0, 0 };
	char attrs[96];

	mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %gv%g\"/>\n", l->left, l->top, l->h);
	if (d->h->y.names)
		draw_y_names(d);
	else
		draw_y_ticks(d);
	if (l->above_y > 0)
		draw_beyond_label(d, l->above_y, true);
	if (l->below_y > 0)
		draw_beyond_label(d, l->below_y, false);
	mp_heat_axis_title(&title, d->h, &d->h->y, &d->h->info->y);
	snprintf(attrs, sizeof(attrs),
		 "text-anchor=\"middle\" class=\"dim\" transform=\"rotate(-90 16 %g)\"",
		 l->top + l->h / 2);
	mp_svg_label(d->to, 16, l->top + l->h / 2, attrs, mp_buf_view(&title), MP_MAX(l->h, 80.0),
		     MP_SVG_FONT);
	mp_buf_release(&title);
}

static void draw_x_ticks(struct drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_tick t[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(&d->h->x.axis, l->w, false, MP_SVG_FONT, t), i;

	for (i = 0; i < n; i++) {
		double x = l->left + l->w * t[i].at;

		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%.2f %gv%d\"/>\n", x, d->bottom,
			      t[i].minor ? 3 : 6);
		if (!t[i].minor)
			label(d, x, d->bottom + 19, "text-anchor=\"middle\"", t[i].label);
	}
}

static void draw_x_name(struct drawing *d, double x, struct mp_str name)
{
	char attrs[128] = "text-anchor=\"middle\" class=\"name\"";
	double y = d->bottom + (d->upright_names ? 8 : 17);

	if (d->upright_names)
		snprintf(attrs, sizeof(attrs),
			 "text-anchor=\"end\" class=\"name\" transform=\"rotate(-90 %.2f %g)\"",
			 x + 4, y);
	mp_svg_label(d->to, d->upright_names ? x + 4 : x, y, attrs, name, NAME_WIDTH, SMALL);
}

static void draw_x_names(struct drawing *d)
{
	const struct mp_bins *b = &d->h->x;
	double width = column_width(b);
	size_t every = mp_axis_label_every(b->n, width, SMALL * 1.2), i;

	for (i = 0; i < b->n; i += every)
		draw_x_name(d, d->l.x_px[i] + width / 2, b->name[i]);
	if (d->l.below_x > 0)
		draw_x_name(d, d->l.below_x + BEYOND / 2.0, MP_STR("other"));
}

static void draw_x_axis(struct drawing *d)
{
	const struct mp_heat_layout *l = &d->l;
	struct mp_buf title = { NULL, 0, 0 };

	mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %gh%g\"/>\n", l->left, d->bottom, l->w);
	if (d->h->x.names)
		draw_x_names(d);
	else
		draw_x_ticks(d);
	mp_heat_axis_title(&title, d->h, &d->h->x, &d->h->info->x);
	mp_svg_label(d->to, l->left + l->w / 2, d->bottom + foot_height(d) - 6,
		     "text-anchor=\"middle\" class=\"dim\"", mp_buf_view(&title), l->w + 60,
		     MP_SVG_FONT);
	mp_buf_release(&title);
}

/* --- percentiles ------------------------------------------------------------------------------ */

static double y_of(const struct drawing *d, double value)
{
	const struct mp_axis *a = &d->h->y.axis;
	double at = a->kind == MP_AXIS_LOG && value <= 0 ? 0 : mp_axis_at(a, value);

	return d->l.top + d->l.h * (1 - MP_MIN(MP_MAX(at, 0.0), 1.0));
}

static void percentile_path(struct drawing *d, const double *values, const char *class)
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

static void draw_percentiles(struct drawing *d)
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
static void bar_labels(struct drawing *d, double top, double height)
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
			      d->bar_x + BAR_WIDTH, y);
		mp_svg_label(d->to, d->bar_x + BAR_WIDTH + 6, y + 4, "class=\"name\"", mp_str(text),
			     0, SMALL);
	}
}

/* Labels the ends and the middle of the scale of differences, in percentage points. */
static void difference_labels(struct drawing *d, double top, double height)
{
	char text[32];
	int i;

	for (i = -1; i <= 1; i++) {
		double y = top + height * (1 - i) / 2;

		snprintf(text, sizeof(text), i ? "%+.2g %%" : "0", i * 100 * d->h->greatest);
		mp_buf_printf(d->to, "<path class=\"axis\" d=\"M%g %.2fh3\"/>\n",
			      d->bar_x + BAR_WIDTH, y);
		mp_svg_label(d->to, d->bar_x + BAR_WIDTH + 6, y + 4, "class=\"name\"", mp_str(text),
			     0, SMALL);
	}
}

static void draw_bar(struct drawing *d)
{
	double top = d->l.top + 18, height = MP_MIN(MP_MAX(d->l.h - 18, 60.0), 216.0);
	unsigned i;

	mp_svg_label(d->to, d->bar_x, d->l.top + 8, "class=\"dim\"",
		     mp_str(d->h->before ? "change" : d->h->info->weight),
		     BAR_WIDTH + 6 + bar_label_width(d->h), MP_SVG_FONT);
	mp_buf_printf(d->to, "<g shape-rendering=\"crispEdges\">\n");
	for (i = 0; i < LEVELS; i++)
		mp_buf_printf(d->to,
			      "<rect class=\"c%u\" x=\"%g\" y=\"%.2f\" width=\"%d\" "
			      "height=\"%.2f\"/>\n",
			      i, d->bar_x, top + height * (LEVELS - 1 - i) / LEVELS, BAR_WIDTH,
			      height / LEVELS);
	mp_buf_printf(d->to, "</g>\n");
	if (d->h->before)
		difference_labels(d, top, height);
	else if (d->h->max)
		bar_labels(d, top, height);
}

static void draw_notes(struct drawing *d)
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
	double share = (double)level / (LEVELS - 1);
	unsigned paper;

	for (paper = 0; paper < MP_PAPERS; paper++)
		c[paper] = palette ? mp_palette_at(palette, paper, share)
			   : level == UNCERTAIN
				   ? mp_palette_diverging(paper, 0)
				   : mp_palette_diverging(paper, (2.0 * level + 1) / LEVELS - 1);
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
	for (i = 0; i < LEVELS + !palette; i++) {
		struct mp_rgb c[MP_PAPERS];
		char class[16];

		colour_level(c, palette, i);
		snprintf(class, sizeof(class), "c%u", i);
		mp_svg_fill_rule(css, dark, class, c);
	}
}

static void begin(struct mp_buf *to, const struct mp_heat_look *look, double width, double height,
		  struct mp_str desc)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 };

	make_css(&css, &dark, look->palette);
	mp_buf_byte(&css, '\0');
	mp_buf_byte(&dark, '\0');
	mp_svg_begin(to, &(struct mp_svg_doc){ width, height, look->title, desc, css.p, dark.p });
	mp_buf_release(&css);
	mp_buf_release(&dark);
}

/* Draws the elements that the script moves; they are invisible without it. */
static void draw_handles(struct drawing *d)
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
		      left, top, d->right - left, d->bottom - top);
}

void mp_heat_svg(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_look *look)
{
	struct drawing d = { .to = to, .h = h, .look = look };
	struct mp_buf text = { NULL, 0, 0 }, data = { NULL, 0, 0 };

	lay_out(&d);
	mp_heat_describe(&text, h);
	begin(to, look, d.l.width, d.l.height, mp_buf_view(&text));
	mp_svg_label(to, d.l.left, 26, "class=\"title\"", look->title,
		     (d.l.width - d.l.left - 10) / 1.1, MP_SVG_TITLE);
	text.len = 0;
	mp_heat_subtitle(&text, h);
	mp_svg_label(to, d.l.left, 46, "class=\"dim\"", mp_buf_view(&text),
		     d.l.width - d.l.left - 10, MP_SVG_FONT);
	draw_cells(&d);
	mp_lossbins_svg(&h->losses, to,
			&(struct mp_lossbins_place){ d.l.left, d.l.top, d.l.w, d.l.h });
	if (h->n_percentiles)
		draw_percentiles(&d);
	draw_y_axis(&d);
	draw_x_axis(&d);
	draw_bar(&d);
	draw_notes(&d);
	draw_handles(&d);
	mp_heat_data(&data, h, &d.l, look->events, look->files);
	mp_svg_script(to, mp_buf_view(&data), mp_heat_script());
	mp_svg_end(to);
	free(d.l.x_px);
	free(d.l.y_px);
	mp_buf_release(&d.notes);
	mp_buf_release(&text);
	mp_buf_release(&data);
}

void mp_heat_svg_empty(struct mp_buf *to, const struct mp_heat_look *look)
{
	begin(to, look, 640, 160,
	      MP_STR("There is nothing to draw: no record is within the axes."));
	mp_svg_label(to, 24, 30, "class=\"title\"", look->title, 560, MP_SVG_TITLE);
	mp_svg_label(to, 24, 84, "class=\"dim\"",
		     MP_STR("nothing to draw: no record is within the axes"), 0, MP_SVG_FONT);
	mp_svg_end(to);
}
