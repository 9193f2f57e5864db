/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of numbers in several runs, by key, from the lines of dumps of mp-hist. Memory: a
 * histogram (loghist.h) for each key and run. Includes diff, loghist, map, rec.
 */
#ifndef MP_DIFF_DISTS_H
#define MP_DIFF_DISTS_H

#include "lib/core/map.h"
#include "lib/diff/diff.h"
#include "lib/stats/loghist.h"
#include "lib/stream/rec.h"

struct mp_diff_dists {
	size_t n, n_before;	    /* runs; those before are the first ones */
	const struct mp_fields *by; /* fields of the key; NULL: all of a line; borrowed */
	char *field;		    /* what was measured, or NULL before the first line */

	/* private */
	struct mp_map keys;	   /* values, as in the line -> number */
	struct mp_map_entry **key; /* by number; in the order of bytes after the last line */
	struct mp_loghist *hists;  /* n of each key */
	size_t key_cap, hists_cap;
	struct mp_str *parts; /* scratch: values of a key */
	size_t parts_cap;
	struct mp_str *missing; /* for each of `by`: the value in a line without it */
	struct mp_arena texts;
};

void mp_diff_dists_init(struct mp_diff_dists *d, size_t n_before, size_t n_after,
			const struct mp_fields *by);
void mp_diff_dists_release(struct mp_diff_dists *d);

/* Adds a line of a dump to a run. Returns 0, or -1 with the reason in `*why` (static). */
int mp_diff_dists_add(struct mp_diff_dists *d, size_t run, const struct mp_rec *rec,
		      const char **why);

/* The values of the key of a row, as in the line, with TABs between them. */
struct mp_str mp_diff_dists_key(const struct mp_diff_dists *d, uint32_t key);

/* How many numbers the runs from `run` to before `end` have. */
uint64_t mp_diff_dists_count(const struct mp_diff_dists *d, size_t run, size_t end);

/*
 * Makes the rows of `to`: mean, median and 99th percentile of each key that has numbers in all runs
 * and at least to->min_share of all numbers. Returns the number of keys that some run lacks.
 */
size_t mp_diff_dists_make(struct mp_diff_dists *d, struct mp_diff *to);

#endif
