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
	/* with more than a third of the letters wrong, it is probably another word */
	*n = (struct mp_suggest){ word, NULL, strlen(word) / 3 + 1 };
}

/* Whether `name` is nearer than the names tried before. */
static bool is_nearer(struct mp_suggest *n, const char *name)
{
	size_t len = strlen(n->word), other = strlen(name), d;

	if ((len > other ? len - other : other - len) >= n->distance)
		return false;
	d = mp_suggest_distance(n->word, name);
	if (d >= n->distance)
		return false;
	n->distance = d;
	return true;
}

void mp_suggest_try(struct mp_suggest *n, const char *candidate)
{
	const char *colon = strchr(n->word, ':') ? NULL : strchr(candidate, ':');

	if (!is_nearer(n, candidate) && !(colon && is_nearer(n, colon + 1)))
		return;
	free(n->best);
	n->best = mp_strdup(candidate);
}

void mp_suggest_release(struct mp_suggest *n)
{
	free(n->best);
	n->best = NULL;
}
