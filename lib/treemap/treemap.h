/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of stacks as a squarified treemap (M. Bruls, K. Huizing, J. van Wijk, 2000), one SVG: the
 * area of a frame is its weight. Includes svg, tree.
 */
#ifndef MP_TREEMAP_TREEMAP_H
#define MP_TREEMAP_TREEMAP_H

#include "lib/draw/svg.h"
#include "lib/tree/tree.h"

struct mp_treemap {
	const struct mp_tree *tree; /* finished */
	const char *unit;	    /* unit of the weights, as in unit.h */
	/*
	 * by node, with its descendants: what is divided by the weight for the colour; NULL: the
	 * first frame decides on the colour
	 */
	const double *second;
	struct mp_str second_name; /* raw: "dur per event" */
	const char *second_unit;
	struct mp_str title, subtitle; /* raw */
	struct mp_str nothing;	       /* raw: why there is nothing to draw */
	double width, height;
};

enum { MP_TREEMAP_MIN = 200, MP_TREEMAP_MAX = 10000 }; /* limits of width and height in px */

void mp_treemap_svg(struct mp_buf *to, const struct mp_treemap *m);

#endif
