/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges sorted runs. Each run knows how many bytes its line shares with another one that comes
 * before it, so that two lines are compared only from there on, and often not at all: a tournament
 * of losers with common prefixes, as in Bingmann, Eberle, Sanders, "Engineering Parallel String
 * Sorting" (https://arxiv.org/abs/1403.2056). Includes run.
 */
#ifndef MP_FOLD_MERGE_H
#define MP_FOLD_MERGE_H

#include "lib/fold/run.h"

/* A run in the tournament. */
struct mp_fold_player {
	size_t run;
	size_t rank; /* 0: it has ended; or 1 + bytes that its line shares with the one it lost to */
};

struct mp_fold_merge {
	struct mp_fold_run **runs; /* borrowed; NULL: the run has ended */
	size_t n;
	/* private: who lost the match of each node; node 1 is the final, and 2i and 2i + 1 feed i */
	struct mp_fold_player *losers;
	struct mp_fold_player first;
};

/* Begins with the first lines of runs, which have been rewound; frees those without lines. */
void mp_fold_merge_init(struct mp_fold_merge *m, struct mp_fold_run **runs, size_t n);

/*
 * The run whose line comes next; `*kept` bytes of it are those of the line before it in the result.
 * NULL at the end.
 */
static inline struct mp_fold_run *mp_fold_merge_line(const struct mp_fold_merge *m, size_t *kept)
{
	*kept = m->first.rank - 1;
	return m->first.rank ? m->runs[m->first.run] : NULL;
}

/* Moves on to the next line; frees a run at its end. */
void mp_fold_merge_next(struct mp_fold_merge *m);
void mp_fold_merge_release(struct mp_fold_merge *m);

/* How many bytes at the start of two texts are the same. */
size_t mp_fold_shared(struct mp_str a, struct mp_str b);

#endif
