// SPDX-License-Identifier: GPL-2.0-only
#include "lib/page/cells.h"

#include <stdlib.h>

#include "tests/unit/random.h"
#include "tests/unit/tap.h"

static void test_width(void)
{
	struct mp_page_cells c;

	mp_page_cells_init(&c, 1000);
	ok(mp_page_cells_bins(&c) == 0, "without events there are no bins");
	mp_page_cells_add(&c, 1000, 1, 0, 0);
	mp_page_cells_finish(&c);
	ok(mp_page_cells_bins(&c) == 1, "one event has one bin");
	mp_page_cells_add(&c, 1000 + MP_PAGE_BINS_MAX - 1, 1, 0, 0);
	ok(c.width_ns == 1, "the greatest number of bins is possible");
	mp_page_cells_add(&c, 999, 2, 0, 0);
	ok(c.width_ns == 2, "one more makes bins twice as wide");
	mp_page_cells_add(&c, 0, 3, 0, 0);
	mp_page_cells_add(&c, INT64_MAX, 4, 0, 0);
	mp_page_cells_finish(&c);
	ok(mp_page_cells_bins(&c) > MP_PAGE_BINS_MAX / 2, "a long recording has half of them");
	ok(c.n == 4, "cells are merged");
	ok(mp_page_cell_stack(&c.v[0]) == 1, "the order is that of bins and stacks");
	ok(c.v[0].count == 2, "counts are added up");
	ok(mp_page_cell_bin(&c, &c.v[3]) == mp_page_cells_bins(&c) - 1, "the last bin");
	mp_page_cells_release(&c);
}

static void test_buckets(void)
{
	ok(mp_page_bucket(0) == MP_PAGE_ZERO, "0");
	ok(mp_page_bucket(1) == MP_PAGE_POSITIVE, "1");
	ok(mp_page_bucket(1023) == MP_PAGE_POSITIVE + 9, "1023");
	ok(mp_page_bucket(-1024) == MP_PAGE_NEGATIVE + 10, "-1024");
	ok(mp_page_bucket(INT64_MAX) == MP_PAGE_POSITIVE + 63, "2^63 - 1, as a double");
	ok(mp_page_bucket(INT64_MIN) == MP_PAGE_NEGATIVE + 63, "-2^63");
}

struct event {
	uint64_t time;
	uint32_t stack;
	int64_t value;
};

/* Whether each cell has the events that it should have. */
static bool is_right(const struct mp_page_cells *c, const struct event *events, size_t n)
{
	uint64_t in_all = 0;
	size_t i, j;

	for (i = 0; i < c->n; i++) {
		uint64_t count = 0;
		int64_t sum = 0;

		for (j = 0; j < n; j++) {
			if (events[j].time / c->width_ns !=
				    c->first + mp_page_cell_bin(c, &c->v[i]) ||
			    events[j].stack != mp_page_cell_stack(&c->v[i]) ||
			    mp_page_bucket(events[j].value) != mp_page_cell_bucket(&c->v[i]))
				continue;
			count++;
			sum += events[j].value;
		}
		if (count != c->v[i].count || sum != c->v[i].sum)
			return false;
		in_all += count;
	}
	return in_all == n;
}

static uint64_t below(uint64_t n)
{
	return (uint64_t)(random_number() * (double)n);
}

/* Events in any order, in as little memory as there may be. */
static void test_random(void)
{
	enum { N = 1000 };
	struct event *events = mp_alloc(N * sizeof(*events));
	struct mp_page_cells c;
	size_t round, i;
	bool right = true;

	for (round = 0; round < 50; round++) {
		mp_page_cells_init(&c, 8 << round % 8);
		for (i = 0; i < N; i++) {
			events[i].time = below(1 + (1000u << round / 3));
			events[i].stack = (uint32_t)below(5);
			events[i].value = (int64_t)below(100) - 20;
			mp_page_cells_add(&c, events[i].time, events[i].stack,
					  mp_page_bucket(events[i].value), events[i].value);
		}
		mp_page_cells_finish(&c);
		right = right && is_right(&c, events, N);
		while (c.first < c.last)
			mp_page_cells_coarsen(&c);
		right = right && is_right(&c, events, N);
		mp_page_cells_release(&c);
	}
	ok(right, "each cell has its events, whatever the order and the limit");
	free(events);
}

int main(void)
{
	test_width();
	test_buckets();
	test_random();
	return tap_done();
}
