/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cells of a recording as bytes, which lib/page/cells.js reads. Includes cells, str, tree.
 *
 * There are seven parts. All but `buckets` are numbers as in lib/flame/flamedata.h.
 *
 *	ranks    for each stack, the most frequent first: its number in the order of names
 *	bins     for each bin: how many stacks it has
 *	stacks   for each of these: its rank less that of the stack before it, less 1
 *	rows     for each of these: in how many buckets its numbers are, less 1
 *	buckets  for each of these buckets: a byte, see cells.h
 *	counts   for each bucket: how many events it has, less 1
 *	sums     for each stack of a bin: the sum of its numbers; 2n for n, and 2n - 1 for -n
 *
 * Without measured numbers, `rows`, `buckets` and `sums` are empty, and each stack has one count.
 */
#ifndef MP_PAGE_COLUMNS_H
#define MP_PAGE_COLUMNS_H

#include "lib/core/str.h"
#include "lib/page/cells.h"
#include "lib/tree/tree.h"

enum { MP_PAGE_COLUMNS = 7 };

struct mp_page_columns {
	struct mp_buf parts[MP_PAGE_COLUMNS];
	size_t stacks; /* number of pairs of a bin and a stack */
	size_t rows;   /* number of buckets of these */
};

/* The tree is finished, and its weights are the numbers of events. */
void mp_page_columns_make(struct mp_page_columns *c, const struct mp_page_cells *cells,
			  const struct mp_tree *t, bool measured);
void mp_page_columns_release(struct mp_page_columns *c);

#endif
