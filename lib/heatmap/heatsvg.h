/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as SVG: shapes, which are visible without scripts, and a script for hover, keys and
 * selection. Includes heatlayout.
 */
#ifndef MP_HEATMAP_HEATSVG_H
#define MP_HEATMAP_HEATSVG_H

#include "lib/heatmap/heatlayout.h"

void mp_heat_svg(struct mp_buf *to, const struct mp_heat *h, const struct mp_heat_look *look);

/* Draws a picture that says that there is nothing to draw. */
void mp_heat_svg_empty(struct mp_buf *to, const struct mp_heat_look *look);

#endif
