/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes what differs between two sides: as text, as tab-separated values, and as folded text with
 * two weights. Includes dists, io.
 */
#ifndef MP_DIFF_TABLE_H
#define MP_DIFF_TABLE_H

#include "lib/core/io.h"
#include "lib/diff/dists.h"

struct mp_diff_table {
	const struct mp_diff *diff;
	const struct mp_diff_runs *runs;
	const struct mp_diff_dists *dists; /* rows are numbers of keys; NULL: rows have weights */
	const char *unit;		   /* of the weights, see unit.h */
	bool all;			   /* rows that are not significant as well */
};

/* Text for people, safe for a terminal: first the sides and the test, then the rows. */
void mp_diff_table_text(const struct mp_diff_table *t, struct mp_out *out);

/* The rows with plain numbers, after a line of names. */
void mp_diff_table_tsv(const struct mp_diff_table *t, struct mp_out *out);

/*
 * All stacks with the sums of both sides, in the order of bytes; those before are multiplied by
 * `factor` and rounded. A sum below 0, which readers do not take, becomes 0. Returns the number of
 * these.
 */
uint64_t mp_diff_table_folded(const struct mp_diff_runs *runs, double factor, struct mp_out *out);

#endif
