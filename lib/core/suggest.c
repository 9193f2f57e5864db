// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { LEN_MAX = 255 };

size_t mp_suggest_distance(const char *a, const char *b)
{
	size_t rows[3][LEN_MAX + 1], *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t n = strnlen(a, LEN_MAX), m = strnlen(b, LEN_MAX), i, j, best;

	for (j = 0; j <= m; j++)
		above[j] = before[j] = j;
	for (i = 1; i <= n; i++) {
		row[0] = i;
		for (j = 1; j <= m; j++) {
			best = above[j - 1] + (a[i - 1] != b[j - 1]);
			best = MP_MIN(best, above[j] + 1);
			best = MP_MIN(best, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MP_MIN(best, before[j - 2] + 1);
			row[j] = best;
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[m];
}

void mp_suggest_init(struct mp_suggest *n, const char *word)
{
	/* with a third of the letters wrong it is not a misspelling any more */
	*n = (struct mp_suggest){ word, NULL, strlen(word) / 3 + 1 };
}

void mp_suggest_try(struct mp_suggest *n, const char *candidate)
{
	size_t len = strlen(n->word), other = strlen(candidate), d;

	if ((len > other ? len - other : other - len) >= n->distance)
		return;
	d = mp_suggest_distance(n->word, candidate);
	if (d >= n->distance)
		return;
	free(n->best);
	n->best = mp_strdup(candidate);
	n->distance = d;
}

void mp_suggest_release(struct mp_suggest *n)
{
	free(n->best);
	n->best = NULL;
}
