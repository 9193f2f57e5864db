// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stackplot/stackgrid.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static void make(struct mp_stackgrid *g, size_t bins, size_t rows, bool mean,
		 enum mp_stack_fill fill)
{
	struct mp_stackgrid_style style = { bins, rows, mean, fill };

	mp_stackgrid_init(g, &style);
}

static void add(struct mp_stackgrid *g, const char *label, double x, double y)
{
	mp_stackgrid_add(g, mp_str(label), MP_STR(""), x, y);
}

static void done(struct mp_stackgrid *g, struct mp_stackplot *s)
{
	mp_stackplot_release(s);
	mp_stackgrid_release(g);
}

/* Tests that times in realtime ns, far beyond 2^53, are exact. */
static void test_large_times(void)
{
	struct mp_stackgrid g;
	const int64_t start = 1795166340000000320;
	struct mp_stackplot s;
	int i;

	make(&g, 10, 10, false, MP_STACK_ZERO);
	for (i = 9; i >= 0; i--)
		mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), start + i, i);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 10 && s.width == 1, "ten ns of the year 2026 are ten bins");
	for (i = 0; i < 10; i++)
		if (s.layers[0].values[i] != i)
			break;
	ok(i == 10, "each value in its own");
	mp_stackplot_release(&s);
	mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), start + 10, 1);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 6 && s.width == 2 && s.layers[0].values[0] == 1, "one more: bins of two");
	mp_stackplot_release(&s);
	mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), INT64_MAX, 1);
	mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), 0, 1);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 10 && s.width == 1e18 && s.area == 48, "from 0 to the end of time");
	done(&g, &s);
}

/* Tests that for x of any magnitude the sum stays the same and the limit of bins holds. */
static void test_any_x(void)
{
	static const double xs[] = { 0,	   -0.0, 1e-300, -1e-300, 1e300, -1e300, 5e-324, 0.1,
				     1e18, 9e18, -9e18,	 1e19,	  1e16,	 3,	 -3,	 1e-9 };
	struct mp_stackgrid g;
	bool right = true;
	size_t i, k, n = 0;

	make(&g, 16, 10, false, MP_STACK_ZERO);
	for (i = 0; i < MP_ARRAY_SIZE(xs); i++)
		for (k = 0; k <= i; k++) {
			struct mp_stackplot s;

			add(&g, "a", xs[(i * 7 + k) % MP_ARRAY_SIZE(xs)], 1);
			n++;
			mp_stackgrid_finish(&g, 1, &s);
			right &= s.area == (double)n && s.n_bins <= 16 && isfinite(s.low) &&
				 s.width > 0;
			mp_stackplot_release(&s);
		}
	ok(right, "%zu values from -1e300 to 1e300", n);
	mp_stackgrid_release(&g);
}

static void test_decimals(void)
{
	struct mp_stackgrid g;
	struct mp_stackplot s;
	bool right = true;
	int i;

	make(&g, 100, 10, false, MP_STACK_ZERO);
	for (i = 0; i < 100; i++)
		add(&g, "a", i * 0.1, i);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 100 && s.width == 0.1, "0.1 to 9.9: bins of 0.1");
	for (i = 0; i < 100; i++)
		right &= s.layers[0].values[i] == i;
	ok(right, "0.3 is in the third, though 3 * 0.1 is a little more");
	done(&g, &s);
	make(&g, 100, 10, false, MP_STACK_ZERO);
	mp_stackgrid_wide(&g, 0.3);
	ok(mp_stackgrid_width(&g) == 1, "0.3 at least: 1");
	mp_stackgrid_release(&g);
	make(&g, 100, 10, false, MP_STACK_ZERO);
	mp_stackgrid_wide(&g, 2e9);
	ok(mp_stackgrid_width(&g) == 2e9, "2e9 is one of the widths");
	mp_stackgrid_release(&g);
}

static void test_fill(void)
{
	struct mp_stackgrid g;
	static const double want[] = { 0, 0, 4, 4, 4, 7, 7, 7, 0, 0 };
	struct mp_stackplot s;
	bool right = true;
	int i;

	make(&g, 100, 10, true, MP_STACK_CARRY);
	mp_stackgrid_wide(&g, 1);
	for (i = 0; i < 10; i++)
		add(&g, "b", i, 1);
	add(&g, "a", 2, 3);
	add(&g, "a", 2, 5);
	add(&g, "a", 5, 7);
	mp_stackgrid_finish(&g, 2, &s);
	for (i = 0; i < 10; i++)
		right &= s.layers[0].values[i] == want[i];
	ok(right, "carried between values, and equally long after the last");
	ok(s.totals[3] == 5 && s.peak == 8 && s.area == 43, "totals");
	done(&g, &s);
}

static void test_layers(void)
{
	struct mp_stackgrid g;
	struct mp_stackplot s;

	make(&g, 10, 10, false, MP_STACK_ZERO);
	add(&g, "cpu 10", 0, 5);
	add(&g, "cpu 2", 1, 5);
	add(&g, "light", 1, 1);
	add(&g, "heavy", 1, 9);
	add(&g, "below", 1, -9);
	mp_stackgrid_finish(&g, 3, &s);
	ok(s.n_layers == 4 && !s.layers[0].label.p && s.n_other == 2, "other is the lowest");
	ok(mp_str_eq(s.layers[1].label, MP_STR("heavy")) &&
		   mp_str_eq(s.layers[2].label, MP_STR("cpu 2")) &&
		   mp_str_eq(s.layers[3].label, MP_STR("cpu 10")),
	   "then the heaviest; the same weight: by name");
	ok(s.layers[0].area == 1 && s.negative == 1, "below 0 is 0, and counted");
	mp_stackplot_release(&s);
	mp_stackgrid_finish(&g, 5, &s);
	ok(s.n_layers == 5 && s.layers[0].label.p, "no other where all are shown");
	done(&g, &s);
}

static void test_given_up(void)
{
	struct mp_stackgrid g;
	struct mp_stackplot s;
	double sum = 0;
	char name[32];
	int i;

	make(&g, 50, 8, false, MP_STACK_ZERO);
	srand(1);
	for (i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "n%d", rand() % 1000);
		add(&g, i % 2 ? name : "heavy", i / 100.0, i % 5);
		sum += i % 5;
	}
	mp_stackgrid_finish(&g, 4, &s);
	ok(g.rows.n <= 17 && g.dropped > 1000, "rows are bounded, what is given up is counted");
	ok(s.area == sum && s.n_layers == 5, "nothing is lost");
	ok(mp_str_eq(s.layers[1].label, MP_STR("heavy")) && s.layers[1].area == 50000,
	   "the heavy one is complete");
	done(&g, &s);
}

static void test_nothing(void)
{
	struct mp_stackgrid g;
	struct mp_stackplot s;

	make(&g, 50, 8, true, MP_STACK_CARRY);
	mp_stackgrid_merge_sparse(&g);
	mp_stackgrid_finish(&g, 4, &s);
	ok(s.n_bins == 0 && s.n_layers == 0 && s.area == 0, "nothing");
	done(&g, &s);
}

/* Losses merge with the bins, and extend the picture, but do not begin it. */
static void test_losses(void)
{
	struct mp_stackgrid g;
	struct mp_stackplot s;

	make(&g, 10, 10, false, MP_STACK_ZERO);
	mp_stackgrid_lost(&g, 7, 1, 2);
	mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), 1000, 1);
	mp_stackgrid_add_at(&g, MP_STR("a"), MP_STR(""), 1004, 1);
	mp_stackgrid_lost(&g, 3, 1001, 1003);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 5 && s.losses.lost[3] == 3 && s.losses.from[3] == 1 && !s.losses.lossy[0] &&
		   s.losses.lossy[1] == 3 && s.losses.lossy[2] == 3 && !s.losses.lossy[4],
	   "a loss in three bins of 1 ns");
	mp_stackplot_release(&s);
	mp_stackgrid_lost(&g, 4, 0, 1049);
	mp_stackgrid_finish(&g, 1, &s);
	ok(s.n_bins == 5 && s.width == 10 && s.losses.lost[0] == 3 && s.losses.lost[4] == 4,
	   "a later one: five bins of 10 ns");
	ok(s.losses.from[0] == 0.1 && s.losses.from[4] == -100 && s.losses.lossy[0] == 7 &&
		   s.losses.lossy[3] == 4,
	   "since the middle of a bin, and since before the first");
	ok(s.area == 2, "the values stay");
	done(&g, &s);
}

int main(void)
{
	mp_init("unit-stackgrid");
	test_large_times();
	test_any_x();
	test_decimals();
	test_fill();
	test_layers();
	test_given_up();
	test_losses();
	test_nothing();
	return tap_done();
}
