/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the cells of a heat map, and the list of its hues. Includes heatlayout. */
#ifndef MP_HEATMAP_HEATCELLS_H
#define MP_HEATMAP_HEATCELLS_H

#include "lib/heatmap/heatlayout.h"

/* Draws the cells of d->h. */
void mp_heat_draw_cells(struct mp_heat_drawing *d);

/* Of a map with hues: chooses their colours, adds their rules, lists them with their sums. */
void mp_heat_find_hues(struct mp_heat_drawing *d);
void mp_heat_hue_css(struct mp_buf *css, struct mp_buf *dark, const struct mp_heat_drawing *d);
void mp_heat_draw_hues(struct mp_heat_drawing *d);

#endif
