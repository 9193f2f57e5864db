/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame chart as a static SVG picture. Includes flame.
 */
#ifndef MP_FLAME_CHARTSVG_H
#define MP_FLAME_CHARTSVG_H

#include "lib/flame/flame.h"

/* Tasks whose rows exceed these are not drawn, nor are frames that are farther from the root. */
enum { MP_FLAME_CHARTSVG_ROWS = 1000 };

/*
 * Draws f->chart: an axis of time and, for each task, a row with its name and rows of frames. Frames
 * that are narrower than 1 px, and side by side, are one grey area; what they called is not drawn.
 */
void mp_flame_chartsvg(struct mp_buf *to, const struct mp_flame *f, double width);

#endif
