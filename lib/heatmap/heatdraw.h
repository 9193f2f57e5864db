/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files that draw a heat map share: the picture being drawn, where things are in it, and
 * its cells. Includes heatdata, heatsvg.
 */
#ifndef MP_HEATMAP_HEATDRAW_H
#define MP_HEATMAP_HEATDRAW_H

#include "lib/heatmap/heatdata.h"
#include "lib/heatmap/heatsvg.h"

enum {
	MP_HEAT_LEVELS = 24,
	MP_HEAT_UNCERTAIN = MP_HEAT_LEVELS, /* the level of differences that chance may explain */

	/* in px */
	MP_HEAT_NAME_PX = 170, /* maximum width of the labels of names */
	MP_HEAT_SMALL = 11,    /* font size for the colour bar and for names */
	MP_HEAT_BEYOND = 14,   /* size of an overflow row or column */
	MP_HEAT_BAR = 14,
	MP_HEAT_KEY_PX = 200, /* width of the list of hues */
	MP_HEAT_KEY_ROW = 18,
};

/* A picture being drawn. */
struct mp_heat_drawing {
	struct mp_buf *to;
	const struct mp_heat *h;
	const struct mp_heat_look *look;
	struct mp_heat_layout l;
	unsigned *slots;      /* by pane: its colour, if panes are hues */
	bool upright_names;   /* the labels of the x axis are vertical */
	double bottom, right; /* edges of the cells, including the overflow, of the first panel */
	double foot;	      /* lower edge of the last panel */
	double bar_x;
	double notes_y;
	struct mp_buf notes;
};

/* Decides where everything is. */
void mp_heat_lay_out(struct mp_heat_drawing *d);

/* Whether the map is divided into panels. */
bool mp_heat_has_panels(const struct mp_heat *h);

/* In px: a row of cells, a column, what is below the cells, the labels of the colour bar. */
double mp_heat_row_px(const struct mp_heat *h);
double mp_heat_column_px(const struct mp_bins *b);
double mp_heat_foot_px(struct mp_heat_drawing *d);
double mp_heat_bar_px(const struct mp_heat *h);

/* Draws the cells of d->h. */
void mp_heat_draw_cells(struct mp_heat_drawing *d);

/* Of a map with hues: chooses their colours, adds their rules, lists them with their sums. */
void mp_heat_find_hues(struct mp_heat_drawing *d);
void mp_heat_hue_css(struct mp_buf *css, struct mp_buf *dark, const struct mp_heat_drawing *d);
void mp_heat_draw_hues(struct mp_heat_drawing *d);

#endif
