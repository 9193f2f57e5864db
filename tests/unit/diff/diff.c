// SPDX-License-Identifier: GPL-2.0-only
/* What mp-diff finds, and what it must not find, in runs of which the truth is known. */
#include "lib/diff/diff.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/random.h"
#include "tests/unit/tap.h"

enum { TRIALS = 20, SAMPLES = 20000, FUNCTIONS = 400, SLOW = FUNCTIONS };

/* A trial: what the runs are like. */
struct trial {
	size_t runs;	  /* on each side */
	double slower;	  /* the time of the function SLOW after, as a multiple of that before */
	double disturbed; /* standard deviation of the logarithm of a function's time in a run */
	double unequal;	  /* the same of that number itself, from function to function */
	int64_t weight;	  /* 1: samples; otherwise each one weighs from 1 to this */
};

/* SLOW has 30 % of the time; the others share the rest, as 1, 1/2, 1/3 and so on. */
static double time_of(size_t function)
{
	const double sum = 6.5699296911765; /* 1 + 1/2 + ... + 1/400 */

	return function == SLOW ? 0.3 : 0.7 / (double)(function + 1) / sum;
}

static void add_sample(struct mp_diff_runs *r, size_t run, size_t function, int64_t weight)
{
	char name[16];
	struct mp_frame frames[] = {
		{ .name = MP_STR("main") },
		{ .name = function % 3 ? MP_STR("parse") : MP_STR("write") },
		{ .name = { name, 0 } },
	};

	frames[2].name.len = snprintf(name, sizeof(name), "f%zu", function);
	mp_diff_runs_add(r, run, frames, MP_ARRAY_SIZE(frames), weight);
}

static void add_run(struct mp_diff_runs *r, size_t run, const struct trial *t,
		    const double *disturbed)
{
	double upto[FUNCTIONS + 1], sum = 0;
	int64_t weight[FUNCTIONS + 1] = { 0 };
	size_t i;

	for (i = 0; i <= FUNCTIONS; i++) {
		double time = time_of(i) * exp(disturbed[i] * random_normal());

		sum += i == SLOW && run >= r->n_before ? time * t->slower : time;
		upto[i] = sum;
	}
	for (i = 0; i < SAMPLES; i++) {
		double at = random_number() * sum;
		size_t f = MP_COUNT_FIRST(FUNCTIONS, k, upto[k] <= at);

		weight[f] +=
			t->weight == 1 ? 1 : 1 + (int64_t)(random_number() * (double)t->weight);
	}
	for (i = 0; i <= FUNCTIONS; i++)
		if (weight[i])
			add_sample(r, run, i, weight[i]);
}

static bool is_slow(const struct mp_diff_runs *r, const struct mp_diff_row *row)
{
	return row->significant && row->of == MP_DIFF_SELF && row->difference > 0 &&
	       mp_str_eq(mp_tree_name(&r->tree, row->id).name, MP_STR("f400"));
}

/* How many of the trials find the slow function; those that find anything are in `*any`. */
static int found_in(const struct trial *t, int *any)
{
	double disturbed[FUNCTIONS + 1];
	int found = 0, trial;
	size_t i, bad;

	*any = 0;
	random_state = 20261123;
	for (trial = 0; trial < TRIALS; trial++) {
		struct mp_diff d = { .samples = t->weight == 1, .min_share = 0.001 };
		struct mp_diff_runs r;

		for (i = 0; i <= FUNCTIONS; i++)
			disturbed[i] =
				t->disturbed * exp(i == SLOW ? 0 : t->unequal * random_normal());
		mp_diff_runs_init(&r, t->runs, t->runs);
		for (i = 0; i < r.n; i++)
			add_run(&r, i, t, disturbed);
		mp_diff_runs_finish(&r);
		mp_diff_make(&d, &r, &bad);
		*any += d.n_significant > 0;
		for (i = 0; i < d.n && !is_slow(&r, &d.rows[i]); i++)
			;
		found += i < d.n;
		mp_diff_release(&d);
		mp_diff_runs_release(&r);
	}
	return found;
}

static void test_found(void)
{
	static const struct {
		struct trial trial;
		const char *what;
	} cases[] = {
		{ { 5, 1.2, 0, 0, 1 }, "5 runs a side that differ by sampling only" },
		{ { 5, 1.2, 0.02, 0, 1 }, "5 runs with disturbances of 2 %" },
		{ { 5, 1.2, 0.02, 0.5, 1 }, "5 runs where some functions are disturbed more" },
		{ { 5, 1.2, 0, 0, 1000 }, "5 runs with weights whose error is not known" },
		{ { 3, 1.2, 0, 0, 1 }, "3 runs" },
		{ { 1, 1.2, 0, 0, 1 }, "1 run" },
	};
	size_t i;
	int any, found;

	for (i = 0; i < MP_ARRAY_SIZE(cases); i++) {
		found = found_in(&cases[i].trial, &any);
		ok(found >= 19, "a function that is 20 %% slower: %s: found in %d of %d trials",
		   cases[i].what, found, TRIALS);
	}
}

static void test_false_alarms(void)
{
	static const struct {
		struct trial trial;
		const char *what;
		/* the test of 1 run is exact: with its 5 %, 3 of 20 are exceeded once in 60 */
		int most;
	} cases[] = {
		{ { 5, 1, 0, 0, 1 }, "5 runs a side that differ by sampling only", 1 },
		{ { 5, 1, 0.05, 0, 1 }, "5 runs with disturbances of 5 %", 1 },
		{ { 5, 1, 0.05, 1, 1 }, "5 runs where some functions are disturbed far more", 1 },
		{ { 5, 1, 0, 0, 1000 }, "5 runs with weights whose error is not known", 1 },
		{ { 3, 1, 0, 0, 1 }, "3 runs", 1 },
		{ { 3, 1, 0.05, 1, 1 }, "3 runs where some functions are disturbed far more", 1 },
		{ { 1, 1, 0, 0, 1 }, "1 run", 3 },
	};
	size_t i;
	int any;

	for (i = 0; i < MP_ARRAY_SIZE(cases); i++) {
		found_in(&cases[i].trial, &any);
		ok(any <= cases[i].most, "no change: %s: a false alarm in %d of %d trials",
		   cases[i].what, any, TRIALS);
	}
}

static void test_rows(void)
{
	struct mp_diff d = { .min_share = 0 };
	struct mp_diff_runs r;
	size_t bad;

	mp_diff_runs_init(&r, 1, 1);
	add_sample(&r, 0, 1, 30);
	add_sample(&r, 0, 3, 10);
	add_sample(&r, 1, 1, 20);
	mp_diff_runs_finish(&r);
	ok(mp_diff_make(&d, &r, &bad) == 0 && d.test == MP_DIFF_NONE && d.n == 4,
	   "self and total, but none for what is in all stacks");
	ok(d.rows[0].difference == 0.25 && d.rows[3].difference == -0.25 && !d.n_significant,
	   "shares");
	mp_diff_release(&d);
	d = (struct mp_diff){ .measure = MP_DIFF_ABSOLUTE, .stacks = true };
	ok(mp_diff_make(&d, &r, &bad) == 0 && d.n == 3 && d.rows[0].of == MP_DIFF_ALL &&
		   d.rows[0].difference == -20 && d.rows[2].difference == -10,
	   "weights of stacks, and of all of them");
	mp_diff_release(&d);
	mp_diff_runs_release(&r);
	mp_diff_runs_init(&r, 1, 1);
	add_sample(&r, 0, 1, 30);
	mp_diff_runs_finish(&r);
	d = (struct mp_diff){ .measure = MP_DIFF_SHARE };
	ok(mp_diff_make(&d, &r, &bad) == -1 && bad == 1, "a run without weight has no shares");
	mp_diff_release(&d);
	mp_diff_runs_release(&r);
}

int main(void)
{
	test_rows();
	test_found();
	test_false_alarms();
	return tap_done();
}
