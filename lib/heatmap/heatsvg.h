/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as SVG: shapes, which are visible without scripts, and a script for hover, keys and
 * selection. Includes heat, palette.
 */
#ifndef MP_HEATMAP_HEATSVG_H
#define MP_HEATMAP_HEATSVG_H

#include "lib/draw/palette.h"
#include "lib/heatmap/heat.h"

struct mp_heat_look {
	struct mp_str title;		  /* raw */
	const struct mp_palette *palette; /* NULL for a comparison */
	const double *percentiles;	  /* the percentiles, as shares from 0 to 1 */
	const char *events;		  /* globs of -e, for the command of a selection; or NULL */
	char *const *files;		  /* operands up to NULL, for that command; or NULL */
};

void mp_heat_svg(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_look *look);

/* Draws a picture that says that there is nothing to draw. */
void mp_heat_svg_empty(struct mp_buf *to, const struct mp_heat_look *look);

#endif
