// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatlayout.h"

#include <math.h>

#include "lib/draw/svg.h"
#include "lib/heatmap/caption.h"
#include "lib/stream/unit.h"

enum {
	PLOT_WIDTH = 900,
	PLOT_HEIGHT = 384,
	PANEL_HEIGHT = 120,
	PANEL_HEAD = 22, /* room for the name of a panel */
	GAP = 6,
};

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
	return MP_MIN(width, (double)MP_HEAT_NAME_PX);
}

static double label_width(const struct mp_heat_drawing *d)
{
	const struct mp_bins *b = &d->h->y;
	struct mp_tick ticks[MP_TICKS_MAX];
	struct mp_buf text = { NULL, 0, 0 };
	double width = 30;
	size_t n, i;

	if (b->names)
		return MP_MAX(width, widest(b, MP_HEAT_SMALL));
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

bool mp_heat_has_panels(const struct mp_heat *h)
{
	return h->info->group && !h->hue;
}

double mp_heat_row_px(const struct mp_heat *h)
{
	const struct mp_bins *b = &h->y;
	double plot = mp_heat_has_panels(h) ? PANEL_HEIGHT : PLOT_HEIGHT;

	if (b->names && mp_heat_has_panels(h))
		return MP_MIN(MP_MAX(floor(plot / b->n), 4.0), 14.0);
	if (b->names)
		return b->n <= 24 ? 18 : b->n <= 64 ? 14 : b->n <= 128 ? 13 : 8;
	return MP_MAX(floor(plot / b->n), 1.0);
}

double mp_heat_column_px(const struct mp_bins *b)
{
	double width = MP_MAX(floor((double)PLOT_WIDTH / b->n), 1.0);

	return b->names ? MP_MIN(width, 64.0) : width;
}

/* The height of the ticks or names, and the axis title, below the cells. */
double mp_heat_foot_px(struct mp_heat_drawing *d)
{
	const struct mp_bins *b = &d->h->x;

	if (!b->names)
		return 44;
	d->upright_names = widest(b, MP_HEAT_SMALL) + 8 > mp_heat_column_px(b);
	return d->upright_names ? widest(b, MP_HEAT_SMALL) + 32 : 44;
}

static size_t count_lines(struct mp_str text)
{
	size_t n = 0, i;

	for (i = 0; i < text.len; i++)
		n += text.p[i] == '\n';
	return n;
}

double mp_heat_bar_px(const struct mp_heat *h)
{
	char text[MP_UNIT_MAX];

	if (h->before)
		return 62;
	if (h->hue)
		return MP_HEAT_KEY_PX;
	mp_unit_put(text, h->info->unit, (double)h->max);
	return MP_MAX(mp_svg_width(mp_str(text), MP_HEAT_SMALL), 46);
}

/* The height of the colour bar, or of the list of hues. */
static double key_height(const struct mp_heat *h)
{
	return h->hue ? 20 + MP_HEAT_KEY_ROW * (double)(h->n_panes + 2) : 120;
}

void mp_heat_lay_out(struct mp_heat_drawing *d)
{
	const struct mp_heat *h = d->h;
	struct mp_heat_layout *l = &d->l;
	double first = mp_heat_has_panels(h) ? 62 + PANEL_HEAD : 62, y = first, head;

	l->beyond = MP_HEAT_BEYOND;
	l->w = mp_heat_column_px(&h->x) * h->x.n;
	l->h = mp_heat_row_px(h) * h->y.n;
	l->left = ceil(34 + label_width(d));
	if (!h->x.names && mp_heat_column(h, h->x.n)) {
		l->below_x = l->left;
		l->left += MP_HEAT_BEYOND + GAP;
	}
	if (!h->y.names && mp_heat_row(h, h->y.n + 1)) {
		l->above_y = y;
		y += MP_HEAT_BEYOND + GAP;
	}
	l->top = y;
	d->bottom = y + l->h;
	if (mp_heat_row(h, h->y.n)) {
		l->below_y = d->bottom + GAP;
		d->bottom += MP_HEAT_BEYOND + GAP;
	}
	l->step = mp_heat_has_panels(h) ? d->bottom - first + PANEL_HEAD + GAP : 0;
	d->right = l->left + l->w;
	if (h->x.names ? mp_heat_column(h, h->x.n) : mp_heat_column(h, h->x.n + 1)) {
		*(h->x.names ? &l->below_x : &l->above_x) = d->right + GAP;
		d->right += MP_HEAT_BEYOND + GAP;
	}
	d->bar_x = d->right + (h->n_percentiles ? 52 : 22);
	d->foot = d->bottom + l->step * (h->n_panes - 1);
	d->notes_y = MP_MAX(d->foot + mp_heat_foot_px(d), l->top + key_height(h)) + 22;
	l->x_px = place_edges(&h->x, l->left, l->w, false);
	l->y_px = place_edges(&h->y, l->top, l->h, true);
	mp_heat_notes(&d->notes, h);
	head = mp_svg_width(d->look->title, MP_SVG_TITLE) * 1.1 + l->left + 20;
	l->width = MP_MAX(d->bar_x + MP_HEAT_BAR + 6 + mp_heat_bar_px(h) + 12, MP_MIN(head, 1100));
	l->width = ceil(MP_MAX(l->width, 640));
	l->height = d->notes_y + 17 * count_lines(mp_buf_view(&d->notes)) + 44;
}
