// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/levels.h"

#include "tests/unit/tap.h"

/* The sums over all cells of a row. */
static struct mp_level_cell sum_of(const struct mp_levels *l, uint32_t row)
{
	struct mp_level_cell sum = { .row = row };
	size_t i;

	for (i = 0; i < l->n; i++) {
		sum.count += l->cells[i].row == row ? l->cells[i].count : 0;
		sum.sum += l->cells[i].row == row ? l->cells[i].sum : 0;
	}
	return sum;
}

static bool is_sorted(const struct mp_levels *l)
{
	size_t i;

	for (i = 1; i < l->n; i++) {
		const struct mp_level_cell *a = &l->cells[i - 1], *b = &l->cells[i];

		if (a->row > b->row || (a->row == b->row && a->category > b->category) ||
		    (a->row == b->row && a->category == b->category && a->bin >= b->bin))
			return false;
	}
	return true;
}

static void test_bins(void)
{
	struct mp_levels l;

	mp_levels_init(&l, 100);
	mp_levels_span(&l, 1, 0, 1000, 100);
	mp_levels_finish(&l);
	ok(l.n == 2 && l.cells[0].bin == 0 && l.cells[0].count == 1 && l.cells[0].sum == 24 &&
		   l.cells[1].bin == 1 && l.cells[1].count == 0 && l.cells[1].sum == 76,
	   "a span counts where it begins, and covers part of each bin");
	mp_levels_release(&l);
}

static void test_limit(void)
{
	uint64_t ns[2] = { 0, 0 }, x = 1;
	struct mp_levels l;
	unsigned i;

	mp_levels_init(&l, 100);
	for (i = 0; i < 100000; i++) {
		uint64_t dur = (x = x * 6364136223846793005u + 1442695040888963407u) >> 50;

		ns[i % 2] += dur;
		mp_levels_span(&l, i % 2, x >> 62, (uint64_t)i * 9000, dur);
	}
	mp_levels_finish(&l);
	ok(l.n <= 100 && l.n > 25, "the cells stay below their limit");
	ok(sum_of(&l, 0).count == 50000 && sum_of(&l, 1).count == 50000, "no span is lost");
	ok((uint64_t)sum_of(&l, 0).sum == ns[0] && (uint64_t)sum_of(&l, 1).sum == ns[1],
	   "no time is lost");
	ok(is_sorted(&l), "cells are in order");
	mp_levels_release(&l);
}

static void test_extremes(void)
{
	struct mp_levels l;
	unsigned i;

	mp_levels_init(&l, 4);
	mp_levels_span(&l, 0, 0, 0, (uint64_t)INT64_MAX);
	for (i = 0; i < 100; i++)
		mp_levels_value(&l, i, (uint64_t)INT64_MAX, -(int64_t)i);
	mp_levels_finish(&l);
	ok(l.n >= 100 && sum_of(&l, 99).sum == -99, "rows are never joined");
	mp_levels_release(&l);
}

int main(void)
{
	test_bins();
	test_limit();
	test_extremes();
	return tap_done();
}
