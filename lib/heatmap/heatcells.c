// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatcells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/svg.h"
#include "lib/heatmap/caption.h"

enum { HUE_LEVELS = 5 };

/* The level of a difference: the lower half of all levels is for less, the upper one for more. */
static int level_of_difference(const struct mp_heat *h, size_t x, size_t y)
{
	bool certain;
	double d = mp_heat_difference(h, x, y, &certain);
	int level = (int)(mp_heat_difference_share(h, d) * MP_HEAT_LEVELS / 2);

	if (!certain || d == 0)
		return MP_HEAT_UNCERTAIN;
	level = MP_MIN(level, MP_HEAT_LEVELS / 2 - 1);
	return d < 0 ? MP_HEAT_LEVELS / 2 - 1 - level : MP_HEAT_LEVELS / 2 + level;
}

/* The level of a cell, or -1 if it is empty. */
static int level_of(const struct mp_heat *h, size_t x, size_t y)
{
	uint64_t value = mp_heat_cell(h, x, y);

	if (!value)
		return -1;
	if (h->before)
		return level_of_difference(h, x, y);
	return MP_MIN((int)(mp_heat_share(h, value) * MP_HEAT_LEVELS), MP_HEAT_LEVELS - 1);
}

/* Finds the place of a bin in px: its lower edge and its size. */
static void extent(const struct mp_bins *b, const double *px, size_t i, double below, double above,
		   double *at, double *size)
{
	if (i >= b->n) {
		*at = i == b->n ? below : above;
		*size = MP_HEAT_BEYOND;
		return;
	}
	*at = MP_MIN(px[i], px[i + 1]);
	*size = fabs(px[i + 1] - px[i]);
}

/*
 * Draws the cells of one code as one path with these attributes; neighbours in a row are one
 * rectangle. `code` has that of each cell.
 */
static void draw_code(struct mp_heat_drawing *d, const unsigned *codes, unsigned code,
		      const char *attrs)
{
	const struct mp_heat *h = d->h;
	const struct mp_heat_layout *l = &d->l;
	size_t x, y, end, width_n = h->x.n + 2;
	bool begun = false;

	for (y = 0; y < h->y.n + 2; y++) {
		for (x = 0; x < h->x.n + 2; x = end) {
			double left, top, width, height, more, unused;

			end = x + 1;
			if (codes[y * width_n + x] != code)
				continue;
			extent(&h->x, l->x_px, x, l->below_x, l->above_x, &left, &width);
			extent(&h->y, l->y_px, y, l->below_y, l->above_y, &top, &height);
			while (end < h->x.n && codes[y * width_n + end] == code) {
				extent(&h->x, l->x_px, end++, 0, 0, &unused, &more);
				width += more;
			}
			if (!begun)
				mp_buf_printf(d->to, "<path %s d=\"", attrs);
			begun = true;
			mp_buf_printf(d->to, "M%g %gh%gv%gh-%gz", left, top, width, height, width);
		}
	}
	if (begun)
		mp_buf_printf(d->to, "\"/>\n");
}

/* The pane that is most of a cell. */
static size_t main_pane(const struct mp_heat *h, size_t cell)
{
	size_t best = 0, i;

	for (i = 1; i < h->n_panes; i++)
		if (h->panes[i].cells[cell] > h->panes[best].cells[cell])
			best = i;
	return best;
}

/* The pane and the level of each cell as one number from 1 on; 0: the cell is empty. */
static unsigned *find_hues(const struct mp_heat *h)
{
	size_t n = (h->x.n + 2) * (h->y.n + 2), i;
	unsigned *hues = mp_zalloc(n * sizeof(*hues));

	for (i = 0; i < n; i++)
		if (h->cells[i])
			hues[i] = 1 + main_pane(h, i) * HUE_LEVELS +
				  MP_MIN((int)(mp_heat_share(h, h->cells[i]) * HUE_LEVELS),
					 HUE_LEVELS - 1);
	return hues;
}

static void rect(struct mp_buf *to, const char *class, double x, double y, double w, double h)
{
	mp_buf_printf(to, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n",
		      class, x, y, w, h);
}

/* The level of each cell, from 1 on; 0: the cell is empty. */
static unsigned *find_levels(const struct mp_heat *h)
{
	unsigned *levels = mp_alloc((h->x.n + 2) * (h->y.n + 2) * sizeof(*levels));
	size_t x, y;

	for (y = 0; y < h->y.n + 2; y++)
		for (x = 0; x < h->x.n + 2; x++)
			levels[y * (h->x.n + 2) + x] = 1 + level_of(h, x, y);
	return levels;
}

/* The opacity of a level of a hue: the palest is distinguishable from the paper. */
static double opacity_of(unsigned level)
{
	return (level + 1.0) / HUE_LEVELS;
}

static void draw_codes(struct mp_heat_drawing *d)
{
	unsigned *codes = d->h->hue ? find_hues(d->h) : find_levels(d->h);
	unsigned n = d->h->hue ? d->h->n_panes * HUE_LEVELS : MP_HEAT_UNCERTAIN + 1, i;
	char attrs[48];

	for (i = 0; i < n; i++) {
		if (d->h->hue)
			snprintf(attrs, sizeof(attrs), "class=\"h%u\" fill-opacity=\"%g\"",
				 i / HUE_LEVELS, opacity_of(i % HUE_LEVELS));
		else
			snprintf(attrs, sizeof(attrs), "class=\"c%u\"", i);
		draw_code(d, codes, i + 1, attrs);
	}
	free(codes);
}

void mp_heat_draw_cells(struct mp_heat_drawing *d)
{
	const struct mp_heat_layout *l = &d->l;

	rect(d->to, "plot", l->left, l->top, l->w, l->h);
	if (l->above_y > 0)
		rect(d->to, "plot", l->left, l->above_y, l->w, MP_HEAT_BEYOND);
	if (l->below_y > 0)
		rect(d->to, "plot", l->left, l->below_y, l->w, MP_HEAT_BEYOND);
	if (l->below_x > 0)
		rect(d->to, "plot", l->below_x, l->top, MP_HEAT_BEYOND, l->h);
	if (l->above_x > 0)
		rect(d->to, "plot", l->above_x, l->top, MP_HEAT_BEYOND, l->h);
	mp_buf_printf(d->to, "<g shape-rendering=\"crispEdges\">\n");
	draw_codes(d);
	mp_buf_printf(d->to, "</g>\n");
}

/* --- hues ------------------------------------------------------------------------------------- */

/* Finds the colours of hues: those that their names have in all pictures. */
void mp_heat_find_hues(struct mp_heat_drawing *d)
{
	struct mp_str names[MP_GROUPS_MAX];
	size_t n = d->h->n_panes, i;

	for (i = 0; i < n; i++)
		names[i] = mp_heat_pane_name(d->h, i);
	d->slots = mp_alloc((n + 1) * sizeof(*d->slots));
	mp_palette_assign(names, n, d->slots);
}

void mp_heat_hue_css(struct mp_buf *css, struct mp_buf *dark, const struct mp_heat_drawing *d)
{
	size_t i;

	for (i = 0; i < d->h->n_panes; i++) {
		struct mp_rgb c[MP_PAPERS];
		char class[32];
		int paper;

		for (paper = 0; paper < MP_PAPERS; paper++)
			c[paper] = d->h->panes[i].name.p ? mp_palette_slot(d->slots[i], paper)
							 : mp_palette_other(paper);
		snprintf(class, sizeof(class), "h%zu", i);
		mp_svg_fill_rule(css, dark, class, c);
	}
}

/* Lists the hues with their sums. */
void mp_heat_draw_hues(struct mp_heat_drawing *d)
{
	const struct mp_heat *h = d->h;
	double y = d->l.top + 8;
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	mp_svg_label(d->to, d->bar_x, y, "class=\"dim\"", mp_str(h->info->group),
		     MP_HEAT_KEY_PX + MP_HEAT_BAR, MP_SVG_FONT);
	for (i = 0; i < h->n_panes; i++) {
		y += MP_HEAT_KEY_ROW;
		mp_buf_printf(d->to,
			      "<rect class=\"h%zu\" x=\"%g\" y=\"%g\" width=\"%d\" "
			      "height=\"12\"/>\n",
			      i, d->bar_x, y - 10, MP_HEAT_BAR);
		text.len = 0;
		mp_heat_put_sum(&text, h, h->panes[i].sum);
		mp_svg_label(d->to, d->bar_x + MP_HEAT_BAR + 6 + MP_HEAT_KEY_PX, y,
			     "class=\"name dim\" text-anchor=\"end\"", mp_buf_view(&text), 0,
			     MP_HEAT_SMALL);
		mp_svg_label(d->to, d->bar_x + MP_HEAT_BAR + 6, y, "class=\"name\"",
			     mp_heat_pane_name(h, i),
			     MP_HEAT_KEY_PX - 8 - mp_svg_width(mp_buf_view(&text), MP_HEAT_SMALL),
			     MP_HEAT_SMALL);
	}
	text.len = 0;
	mp_buf_printf(&text, "opaque: %s ", h->info->weight);
	mp_heat_put_sum(&text, h, h->max);
	mp_svg_label(d->to, d->bar_x, y + MP_HEAT_KEY_ROW + 6, "class=\"name dim\"",
		     mp_buf_view(&text), MP_HEAT_KEY_PX + MP_HEAT_BAR, MP_HEAT_SMALL);
	mp_buf_release(&text);
}
