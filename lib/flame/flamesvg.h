/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as a static SVG, for documents, mail and print. Includes flame, svg.
 */
#ifndef MP_FLAME_FLAMESVG_H
#define MP_FLAME_FLAMESVG_H

#include "lib/draw/svg.h"
#include "lib/flame/flame.h"

enum {
	MP_FLAMESVG_WIDTH_MIN = 320, /* width of the picture in px */
	MP_FLAMESVG_WIDTH_MAX = 10000,
	MP_FLAMESVG_ROWS = 1000, /* frames that are farther from the root are not drawn */
};

/*
 * Draws each frame that is at least 1 px wide, and one grey area for siblings side by side that are
 * narrower.
 */
void mp_flamesvg(struct mp_buf *to, const struct mp_flame *f, double width);

#endif
