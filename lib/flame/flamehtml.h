/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as one HTML file with all frames, which a script draws on a canvas. Includes flame.
 */
#ifndef MP_FLAME_FLAMEHTML_H
#define MP_FLAME_FLAMEHTML_H

#include "lib/core/str.h"
#include "lib/flame/flame.h"

/*
 * The nodes are written in the order of a walk as numbers in base 32: each digit has five bits, the
 * lowest ones first, in a letter of "A-Za-z0-9-_", which has a sixth bit if a digit follows. A node
 * is
 *
 *	4 * name + 2 * (up > 0) + (self > 0), up if it is above 0, self if it is above 0
 *
 * where `up` is how many levels the node is above a child of the node before, `self` its own weight
 * and `name` a place in the list of names, the most frequent first. A node in a chain of calls
 * takes two or three letters.
 */
void mp_flamehtml(struct mp_buf *to, const struct mp_flame *f);

#endif
