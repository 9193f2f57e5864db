/* SPDX-License-Identifier: GPL-2.0-only */
/* The data and the code of the script of a heat map. Includes heat. */
#ifndef MP_HEATMAP_HEATDATA_H
#define MP_HEATMAP_HEATDATA_H

#include "lib/heatmap/heat.h"

/* Where things are, in px, for the shapes and for the script. */
struct mp_heat_layout {
	double width, height;	 /* width and height of the picture */
	double left, top, w, h;	 /* place and size of the cells, without the overflow */
	double *x_px, *y_px;	 /* edges of bins, n + 1; y from the bottom up (names: top down) */
	double below_x, above_x; /* left edges of the overflow columns; 0: none */
	double below_y, above_y; /* upper edges of the overflow rows; 0: none */
	double beyond;		 /* width of the overflow columns, height of the overflow rows */
	double step;		 /* from a panel to the next one; 0: there is one only */
	double label_px;	 /* font size of the labels of names */
};

/*
 * Adds the data for the script, as a statement of JavaScript. `events`: the globs of -e, or NULL;
 * `files`: operands up to NULL, or NULL.
 */
void mp_heat_data(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_layout *l,
		  const char *events, char *const *files);

/* The code; static. */
const char *mp_heat_script(void);

#endif
