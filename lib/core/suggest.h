/* SPDX-License-Identifier: GPL-2.0-only */
/* The nearest of many names to a misspelt one. Includes base only. */
#ifndef MP_NEAR_H
#define MP_NEAR_H

#include "lib/core/base.h"

struct mp_near {
	const char *word; /* borrowed */
	char *best;	  /* NULL: none near enough; owned */
	size_t distance;
};

void mp_near_init(struct mp_near *n, const char *word);
void mp_near_try(struct mp_near *n, const char *candidate);
void mp_near_release(struct mp_near *n);

/*
 * Insertions, deletions, replacements and swaps of neighbours that make `b` of `a` (optimal
 * alignment).
 */
size_t mp_edit_distance(const char *a, const char *b);

#endif
