/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours that people with colour-blindness can distinguish, for light and dark paper: ramps for
 * amounts and sets for names. Includes str only.
 *
 * Ramps: viridis, magma and inferno by St. van der Walt and N. Smith, cividis by J. Nunez, C.
 * Anderton and R. Renslow (all in matplotlib, CC0), grey. On light paper small amounts are pale and
 * large ones dark; on dark paper small amounts are dark and large ones bright. Sets: from the
 * schemes of P. Tol ("muted") and of M. Okabe and K. Ito.
 */
#ifndef MP_DRAW_PALETTE_H
#define MP_DRAW_PALETTE_H

#include "lib/core/str.h"

enum mp_paper { MP_LIGHT, MP_DARK, MP_PAPERS };

struct mp_rgb {
	uint8_t r, g, b;
};

/* Room for a colour as text: "#rrggbb" with a NUL. */
enum { MP_RGB_TEXT = 8 };

void mp_rgb_put(char *to, struct mp_rgb c);

struct mp_palette;

/* The palette of this name, or NULL. */
const struct mp_palette *mp_palette_find(const char *name);

/*
 * The names of all palettes, for help and messages: "viridis, cividis, ...". The first is the
 * default.
 */
const char *mp_palette_list(void);

/* The colour of `share`: 0 (little, but distinguishable from the paper) to 1 (much). */
struct mp_rgb mp_palette_at(const struct mp_palette *p, enum mp_paper paper, double share);

/*
 * The colour of a difference: blue for less (below 0), orange for more, from -1 to 1. Near 0 it is
 * grey, but distinguishable from the paper.
 */
struct mp_rgb mp_palette_diverging(enum mp_paper paper, double difference);

/*
 * Colours for names. Each name has a favourite colour, which depends on its bytes alone, so that it
 * is the same in every picture. If two names of a picture have the same favourite, one gets the
 * next free colour; which one depends on the names, not on their order. `slots[i]` becomes the
 * number for mp_palette_slot(). More than MP_SLOTS names share colours.
 */
enum { MP_SLOTS = 24 };

void mp_palette_assign(const struct mp_str *names, size_t n, unsigned *slots);
struct mp_rgb mp_palette_slot(unsigned slot, enum mp_paper paper);

/* The colour of a slot for an area that has text on it: paler on light paper, darker on dark one. */
struct mp_rgb mp_palette_area(unsigned slot, enum mp_paper paper);

/*
 * Colours of areas that have text on them: pale on light paper, deep on dark paper. Each of the
 * hues (orange, blue, green, yellow) has shades that differ in lightness; any two shades of two
 * hues are distinct to people with deuteranopia and protanopia.
 */
enum { MP_TINTS = 4, MP_SHADES = 4 };

struct mp_rgb mp_palette_tint(unsigned hue, unsigned shade, enum mp_paper paper);

/*
 * Colours of differences, with text on them as on tints: reds for an increase, blues for a
 * decrease. `step` is from 1 (little) to MP_CHANGES (much), below 0 for a decrease, and 0 where
 * nothing differs, which is grey. Reds and blues are distinct to people with deuteranopia and
 * protanopia.
 */
enum { MP_CHANGES = 4 };

struct mp_rgb mp_palette_change(int step, enum mp_paper paper);

/* The colour of "other", which no name has. */
struct mp_rgb mp_palette_other(enum mp_paper paper);

#endif
