/* SPDX-License-Identifier: GPL-2.0-only */
/* The nearest of many names to a misspelt one. Includes base only. */
#ifndef MP_CORE_SUGGEST_H
#define MP_CORE_SUGGEST_H

#include "lib/core/base.h"

struct mp_suggest {
	const char *word; /* the misspelt word; borrowed */
	char *best;	  /* the nearest name, owned; NULL: no name is near enough */
	size_t distance;
};

void mp_suggest_init(struct mp_suggest *n, const char *word);
void mp_suggest_try(struct mp_suggest *n, const char *candidate);
void mp_suggest_release(struct mp_suggest *n);

/*
 * The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
 * (optimal string alignment).
 */
size_t mp_suggest_distance(const char *a, const char *b);

#endif
