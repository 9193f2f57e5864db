/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of a heat map that is being drawn: how it looks, and where everything is in it.
 * Includes heatdata, palette.
 */
#ifndef MP_HEATMAP_HEATLAYOUT_H
#define MP_HEATMAP_HEATLAYOUT_H

#include "lib/draw/palette.h"
#include "lib/heatmap/heatdata.h"

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

struct mp_heat_look {
	struct mp_str title;		  /* raw */
	const struct mp_palette *palette; /* NULL for a comparison */
	const double *percentiles;	  /* the percentiles, as shares from 0 to 1 */
	const char *events;		  /* globs of -e, for the command of a selection; or NULL */
	char *const *files;		  /* operands up to NULL, for that command; or NULL */
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

#endif
