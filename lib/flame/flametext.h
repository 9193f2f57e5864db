/* SPDX-License-Identifier: GPL-2.0-only */
/* A flame graph as text for a terminal. Includes flame. */
#ifndef MP_FLAME_FLAMETEXT_H
#define MP_FLAME_FLAMETEXT_H

#include "lib/flame/flame.h"

struct mp_flametext {
	/*
	 * siblings with less than this share of the total are joined in one line, which is omitted
	 * if it has less, too
	 */
	double min_percent;
	size_t columns; /* longer lines get an ellipsis in the middle of the name */
};

/*
 * Writes a line for each frame: its share, its own share, and its name, heaviest first. Where
 * frames are siblings, lines begin with "|-" or "`-". Safe for a terminal.
 */
void mp_flametext(struct mp_buf *to, const struct mp_flame *f, const struct mp_flametext *style);

#endif
