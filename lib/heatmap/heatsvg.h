/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as SVG: shapes that show without scripts, and what the script needs for hover, keys
 * and selection. Includes heat.
 */
#ifndef MP_HEATMAP_HEATSVG_H
#define MP_HEATMAP_HEATSVG_H

#include "lib/heatmap/heat.h"

struct mp_heat_look {
	struct mp_str title; /* raw; empty: made of what is shown */
	const struct mp_palette *palette;
	const double *percentiles; /* shares, as in the style */
	const char *events; /* the globs that chose them, for the command of a selection; or NULL */
};

/* Where things stand, in px; what draws and what the script knows agree on it. */
struct mp_heat_layout {
	double width, height;	 /* of the picture */
	double left, top, w, h;	 /* of the cells within the bins that are drawn */
	double *x_px, *y_px;	 /* edges of bins, n + 1; y from the bottom up (names: top down) */
	double below_x, above_x; /* left edges of the columns beyond; 0: not there */
	double below_y, above_y; /* top edges of the rows beyond; 0: not there */
	double beyond;		 /* their size */
	double label_px;	 /* font of the labels of names */
};

void mp_heat_svg(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_look *look);

/* A picture that says that there is nothing. */
void mp_heat_svg_empty(struct mp_buf *to, const struct mp_heat_look *look);

/* The script's data, and its code (static). */
void mp_heat_data(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_layout *l,
		  const char *events);
const char *mp_heat_script(void);

#endif
