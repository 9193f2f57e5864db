// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/singles.h"

#include "tests/unit/tap.h"

enum { LIMIT = 10, SPANS = 1000 };

static void drop(void *arg, const struct mp_single *one)
{
	*(uint64_t *)arg += one->dur_ns;
}

/* Adds spans of all lengths below SPANS; returns the sum of the lengths of those that are not wanted. */
static uint64_t add_all(struct mp_singles *s, bool marks)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < SPANS; i++) {
		struct mp_single one = { .begin_ns = i, .dur_ns = i * 7 % SPANS };

		one.marked = marks && one.dur_ns < 3;
		if (!mp_singles_wants(s, &one))
			sum += one.dur_ns;
		else
			mp_singles_add(s, &one);
	}
	return sum;
}

static void test_longest(void)
{
	struct mp_singles s;
	bool longest = true;
	uint64_t out, in = 0, dropped = 0;
	size_t i;

	mp_singles_init(&s, LIMIT, drop, &dropped);
	out = add_all(&s, true);
	mp_singles_finish(&s);
	for (i = 0; i < s.n; i++) {
		longest &= s.v[i].marked || s.v[i].dur_ns >= SPANS - LIMIT;
		longest &= !i || s.v[i].begin_ns >= s.v[i - 1].begin_ns;
		in += s.v[i].dur_ns;
	}
	ok(s.n == LIMIT + 3 && longest, "the longest spans and the marked ones remain, in order");
	ok(in + out + dropped == SPANS * (SPANS - 1) / 2, "each span is in or out");
	mp_singles_release(&s);
}

static void test_equal(void)
{
	struct mp_single one;
	uint64_t dropped = 0;
	unsigned i, late = 0;
	struct mp_singles s;

	mp_singles_init(&s, 100, drop, &dropped);
	for (i = 0; i < 10000; i++) {
		one = (struct mp_single){ .begin_ns = i, .instant = true };
		if (mp_singles_wants(&s, &one))
			mp_singles_add(&s, &one);
	}
	mp_singles_trim(&s);
	for (i = 0; i < s.n; i++)
		late += s.v[i].begin_ns >= 5000;
	ok(s.n == 100 && late >= 30 && late <= 70, "of equal ones some of all times remain");
	mp_singles_release(&s);
}

int main(void)
{
	test_longest();
	test_equal();
	return tap_done();
}
