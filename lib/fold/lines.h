/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts lines with weights in order, and adds up the weights of equal lines. Memory is bounded: lines
 * are sorted in batches, whose sorted runs (run.h) wait in memory and beyond its limit in temporary
 * files. Includes map, run.
 */
#ifndef MP_FOLD_LINES_H
#define MP_FOLD_LINES_H

#include "lib/core/map.h"
#include "lib/fold/run.h"

struct mp_fold_lines {
	bool overflow; /* a weight exceeded 64 bits and stays at the limit */
	size_t limit;  /* bytes of memory */
	double total;  /* of all weights added */

	/* private */
	struct mp_fold_line *batch;
	size_t n, cap;
	struct mp_arena text;		    /* of lines of the batch that were copied */
	struct mp_fold_run **runs, **files; /* in memory and in files */
	size_t n_runs, cap_runs, n_files, cap_files;
	size_t held;   /* bytes of the runs in memory */
	size_t worth;  /* merging the runs in memory is worth trying when they have this many */
	uint64_t seed; /* for choosing pivots */
};

/* `limit`: bytes of memory, in which the caller may have a quarter for a batch of lines. */
void mp_fold_lines_init(struct mp_fold_lines *l, size_t limit);
void mp_fold_lines_release(struct mp_fold_lines *l);

/*
 * Adds a line, which has no NUL, to the batch. Unless it is copied, its bytes must stay valid until
 * the next mp_fold_lines_seal() or mp_fold_lines_each().
 */
void mp_fold_lines_add(struct mp_fold_lines *l, struct mp_str line, int64_t weight);
void mp_fold_lines_copy(struct mp_fold_lines *l, struct mp_str line, int64_t weight);

/*
 * Whether the batch is to be sealed, with `more` bytes of the caller's for it: batches are larger
 * as more lines are held.
 */
bool mp_fold_lines_is_full(const struct mp_fold_lines *l, size_t more);

/* Ends the batch: its lines become a run. */
void mp_fold_lines_seal(struct mp_fold_lines *l);

/* Gets a line, whose first `kept` bytes are those of the line before it. */
typedef void mp_fold_line_fn(void *arg, struct mp_str line, size_t kept, int64_t weight);

/* Passes each distinct line on, in order, and forgets it. */
void mp_fold_lines_each(struct mp_fold_lines *l, mp_fold_line_fn *put, void *arg);

/* Adds to a weight; at the limits of 64 bits it stays there, and `*overflow` becomes true. */
static inline void mp_fold_sum(int64_t *sum, int64_t weight, bool *overflow)
{
	if (!__builtin_add_overflow(*sum, weight, sum))
		return;
	*sum = weight < 0 ? INT64_MIN : INT64_MAX;
	*overflow = true;
}

#endif
