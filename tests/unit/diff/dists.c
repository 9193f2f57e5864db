// SPDX-License-Identifier: GPL-2.0-only
/* What mp-diff finds, and must not find, in distributions of which the truth is known. */
#include "lib/diff/dists.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/random.h"
#include "tests/unit/tap.h"

enum { TRIALS = 20, KEYS = 30, NUMBERS = 200, SLOW = 7 };

/* A trial: what the runs are like. */
struct trial {
	size_t runs;	  /* on each side */
	double slower;	  /* the numbers of the key SLOW after, as a multiple of those before */
	double disturbed; /* standard deviation of the logarithm of a key's numbers in a run */
	double spread;	  /* the same of the numbers of a key within a run */
};

/* Adds the lines that mp-hist would write for these numbers. */
static int add_hist(struct mp_diff_dists *d, size_t run, const char *key,
		    const struct mp_loghist *h)
{
	struct mp_buf text = { NULL, 0, 0 }, line = { NULL, 0, 0 };
	const char *why;
	struct mp_rec rec;
	int cursor = 0, result = 0;

	while (mp_loghist_write(h, &cursor, &text)) {
		line.len = 0;
		mp_buf_printf(&line, "1,mp-hist,comm=%s\ttype=a:b\thist_field=dur\thist_part=%.*s",
			      key, MP_STR_ARGS(text));
		mp_rec_parse(&rec, line.p, line.len, &why);
		result |= mp_diff_dists_add(d, run, &rec, &why);
		text.len = 0;
	}
	mp_buf_release(&text);
	mp_buf_release(&line);
	return result;
}

/* Keys have medians from 1 us to 1 s. */
static void add_run(struct mp_diff_dists *d, size_t run, const struct trial *t)
{
	size_t key, i;

	for (key = 0; key < KEYS; key++) {
		double median = 1e3 * pow(10, 6.0 * (double)key / KEYS) *
				exp(t->disturbed * random_normal());
		struct mp_loghist h = { .n = 0 };
		char name[8];

		if (key == SLOW && run >= d->n_before)
			median *= t->slower;
		for (i = 0; i < NUMBERS; i++)
			mp_loghist_add(&h, floor(median * exp(t->spread * random_normal())), 1);
		snprintf(name, sizeof(name), "k%zu", key);
		add_hist(d, run, name, &h);
		mp_loghist_release(&h);
	}
}

/* How many of the trials find the slow key; those that find anything are in `*any`. */
static int found_in(const struct trial *t, int *any)
{
	int found = 0, trial;
	size_t i, run;

	*any = 0;
	random_state = 20261123;
	for (trial = 0; trial < TRIALS; trial++) {
		struct mp_diff result = { .n = 0 };
		struct mp_diff_dists d;

		mp_diff_dists_init(&d, t->runs, t->runs, NULL);
		for (run = 0; run < d.n; run++)
			add_run(&d, run, t);
		mp_diff_dists_make(&d, &result);
		*any += result.n_significant > 0;
		for (i = 0; i < result.n_significant; i++)
			if (mp_str_eq(mp_diff_dists_key(&d, result.rows[i].id), MP_STR("k7\ta:b")))
				break;
		found += i < result.n_significant;
		mp_diff_release(&result);
		mp_diff_dists_release(&d);
	}
	return found;
}

static void test_trials(void)
{
	static const struct {
		struct trial trial;
		const char *what;
	} cases[] = {
		{ { 5, 1.2, 0, 0.5 }, "5 runs a side" },
		{ { 5, 1.2, 0.03, 0.5 }, "5 runs with disturbances of 3 %" },
		{ { 3, 1.4, 0, 0.5 }, "3 runs" },
	}, alarms[] = {
		{ { 5, 1, 0, 0.5 }, "5 runs a side" },
		{ { 5, 1, 0.05, 2 }, "5 runs of numbers far apart, with disturbances of 5 %" },
		{ { 3, 1, 0, 0.5 }, "3 runs" },
		{ { 3, 1, 0.05, 2 }, "3 runs of numbers far apart, with disturbances of 5 %" },
	};
	int any, found;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(cases); i++) {
		found = found_in(&cases[i].trial, &any);
		ok(found >= 19, "numbers that are %g %% greater: %s: found in %d of %d trials",
		   100 * (cases[i].trial.slower - 1), cases[i].what, found, TRIALS);
	}
	for (i = 0; i < MP_ARRAY_SIZE(alarms); i++) {
		found_in(&alarms[i].trial, &any);
		ok(any <= 1, "no change: %s: a false alarm in %d of %d trials", alarms[i].what, any,
		   TRIALS);
	}
}

static void test_rows(void)
{
	struct mp_loghist low = { .n = 0 }, high = { .n = 0 };
	struct mp_diff result = { .n = 0 };
	struct mp_diff_dists d;

	mp_loghist_add(&low, 100, 3);
	mp_loghist_add(&high, 100, 2);
	mp_loghist_add(&high, 130, 2);
	mp_diff_dists_init(&d, 1, 1, NULL);
	add_hist(&d, 0, "x", &low);
	add_hist(&d, 1, "x", &high);
	add_hist(&d, 1, "y", &low);
	ok(mp_diff_dists_make(&d, &result) == 1 && result.n == 3, "a key that one run lacks");
	ok(result.rows[0].of == MP_DIFF_P99 && result.rows[0].difference == 30 &&
		   result.rows[1].of == MP_DIFF_MEAN && result.rows[1].difference == 15 &&
		   result.rows[2].of == MP_DIFF_P50 && result.rows[2].difference == 0,
	   "the rows of the other one");
	ok(mp_diff_dists_count(&d, 0, 1) == 3 && mp_diff_dists_count(&d, 1, 2) == 7,
	   "how many numbers there are");
	mp_diff_release(&result);
	mp_diff_dists_release(&d);
	mp_loghist_release(&low);
	mp_loghist_release(&high);
}

int main(void)
{
	test_rows();
	test_trials();
	return tap_done();
}
