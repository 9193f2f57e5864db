// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/diff.h"

#include <math.h>
#include <stdlib.h>

/* --- the rows --------------------------------------------------------------------------------- */

/* The weights of a function, self or total: n values. */
static int64_t *function_of(const struct mp_diff *d, const struct mp_diff_runs *r, uint32_t name,
			    enum mp_diff_of of)
{
	return d->functions + (2 * (size_t)name + (of == MP_DIFF_TOTAL)) * r->n;
}

static void add_vector(struct mp_diff_runs *r, int64_t *to, size_t stack)
{
	const int64_t *weights = mp_diff_runs_of(r, stack);
	size_t i;

	for (i = 0; i < r->n; i++)
		mp_diff_runs_sum(r, &to[i], weights[i]);
}

/* Adds up the weights of functions. A function that is several times in a stack counts once. */
static void add_functions(struct mp_diff *d, struct mp_diff_runs *r)
{
	size_t names = mp_tree_names(&r->tree), stack, cap = 0, n, i;
	uint32_t *last = mp_zalloc(names * sizeof(*last)); /* 1 + number of the latest stack */
	uint32_t *path = NULL;

	d->functions = mp_zalloc(2 * names * r->n * sizeof(*d->functions));
	for (stack = 0; stack < r->n_stacks; stack++) {
		n = mp_diff_runs_path(r, stack, &path, &cap);
		for (i = 0; i < n; i++) {
			if (last[path[i]] == stack + 1)
				continue;
			last[path[i]] = stack + 1;
			add_vector(r, function_of(d, r, path[i], MP_DIFF_TOTAL), stack);
		}
		if (n)
			add_vector(r, function_of(d, r, path[n - 1], MP_DIFF_SELF), stack);
	}
	free(path);
	free(last);
}

static double magnitude(const struct mp_diff_runs *r, const int64_t *weights)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += fabs((double)weights[i]);
	return sum;
}

static void add_row(struct mp_diff *d, const struct mp_diff_runs *r, enum mp_diff_of of,
		    uint32_t id, const int64_t *weights)
{
	double sum = magnitude(r, weights);

	if (sum == 0 || sum < d->min_share * magnitude(r, r->total))
		return;
	if (of != MP_DIFF_ALL && memcmp(weights, r->total, r->n * sizeof(*weights)) == 0)
		return;
	d->rows = mp_grow(d->rows, &d->cap, d->n + 1, sizeof(*d->rows));
	d->rows[d->n++] = (struct mp_diff_row){ .of = of, .id = id, .weights = weights };
}

static void add_rows(struct mp_diff *d, struct mp_diff_runs *r)
{
	size_t names = mp_tree_names(&r->tree), i;
	const int64_t *self, *total;

	if (d->measure != MP_DIFF_SHARE)
		add_row(d, r, MP_DIFF_ALL, 0, r->total);
	if (d->stacks) {
		for (i = 0; i < r->n_stacks; i++)
			add_row(d, r, MP_DIFF_STACK, i, mp_diff_runs_of(r, i));
		return;
	}
	add_functions(d, r);
	for (i = 0; i < names; i++) {
		self = function_of(d, r, i, MP_DIFF_SELF);
		total = function_of(d, r, i, MP_DIFF_TOTAL);
		if (!d->no_self)
			add_row(d, r, MP_DIFF_SELF, i, self);
		if (!d->no_total && (d->no_self || memcmp(self, total, r->n * sizeof(*self)) != 0))
			add_row(d, r, MP_DIFF_TOTAL, i, total);
	}
}

/* --- the statistics --------------------------------------------------------------------------- */

/* Sets what the weights of each run are divided by. Returns -1 if that is not above 0. */
static int set_exposure(struct mp_diff *d, const struct mp_diff_runs *r, size_t *bad)
{
	size_t i;

	d->exposure = mp_alloc(r->n * sizeof(*d->exposure));
	for (i = 0; i < r->n; i++) {
		d->exposure[i] = 1;
		if (d->measure == MP_DIFF_WORK)
			d->exposure[i] = d->work[i];
		if (d->measure == MP_DIFF_SHARE)
			d->exposure[i] = (double)r->total[i];
		if (d->exposure[i] > 0)
			continue;
		*bad = i;
		return -1;
	}
	return 0;
}

/* A side with all of its runs together. */
struct sum {
	double weight, time; /* the weights, and what they are divided by */
};

static struct sum add_up(const double *exposure, const int64_t *weights, size_t n)
{
	struct sum s = { 0, 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		s.weight += (double)weights[i];
		s.time += exposure[i];
	}
	return s;
}

static double mean_of(const double *exposure, const int64_t *weights, size_t n)
{
	double mean = 0;
	size_t i;

	for (i = 0; i < n; i++)
		mean += (double)weights[i] / exposure[i] / (double)n;
	return mean;
}

/* Sets both sides of a row. What is only due to rounding is not a difference. */
static void set_values(struct mp_diff_row *row, double before, double after)
{
	row->before = before;
	row->after = after;
	row->difference = after - before;
	row->p = 1;
	if (fabs(row->difference) <= 1e-12 * MP_MAX(fabs(before), fabs(after)))
		row->difference = 0;
}

static void set_means(const struct mp_diff *d, const struct mp_diff_runs *r,
		      struct mp_diff_row *row)
{
	size_t n = r->n_before;

	set_values(row, mean_of(d->exposure, row->weights, n),
		   mean_of(d->exposure + n, row->weights + n, r->n - n));
}

static void set_side(struct mp_diff_side *s, const double *exposure, const int64_t *weights,
		     size_t n)
{
	double squares = 0;
	size_t i;

	*s = (struct mp_diff_side){ .mean = mean_of(exposure, weights, n), .n = n };
	for (i = 0; i < n; i++) {
		double off = (double)weights[i] / exposure[i] - s->mean;

		squares += off * off;
	}
	s->variance = squares / (double)(n - 1);
}

/* Samples at the same rate in all runs: their variance is the rate divided by the exposure. */
static void set_sampling(struct mp_diff_side *s, const double *exposure, double rate)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		s->sampling += rate / exposure[i] / (double)s->n;
		s->samples += rate * exposure[i] / (double)s->n;
	}
}

static void set_pair(const struct mp_diff *d, const struct mp_diff_runs *r,
		     const struct mp_diff_row *row, struct mp_diff_pair *p)
{
	size_t n = r->n_before;
	struct sum all = add_up(d->exposure, row->weights, r->n);
	enum mp_diff_of common = d->no_self ? MP_DIFF_TOTAL : MP_DIFF_SELF;

	set_side(&p->side[0], d->exposure, row->weights, n);
	set_side(&p->side[1], d->exposure + n, row->weights + n, r->n - n);
	/* a share near 1 varies as what is missing from 1 */
	p->scale = fabs(all.weight) / all.time;
	if (d->measure == MP_DIFF_SHARE)
		p->scale *= MP_MAX(0, 1 - p->scale);
	/* the totals of functions that call each other are one observation, not several */
	p->common = row->of == (d->stacks ? MP_DIFF_STACK : common);
	if (!d->samples)
		return;
	set_sampling(&p->side[0], d->exposure, p->scale);
	set_sampling(&p->side[1], d->exposure + n, p->scale);
}

/* Tests a row by the variances of its pair. Returns the error of the difference. */
static struct mp_compare_error test_pair(struct mp_diff_row *row, const struct mp_diff_pair *pair)
{
	struct mp_compare_error e = mp_compare_welch(&pair->best[0], &pair->best[1]);

	if (row->difference != 0 && e.se == 0)
		row->p = 0;
	else if (row->difference != 0)
		row->p = mp_compare_student_p(row->difference / e.se, e.df);
	return e;
}

struct mp_compare_error mp_diff_add_tested(struct mp_diff *d, enum mp_diff_of of, uint32_t id,
					   const struct mp_diff_pair *pair)
{
	struct mp_diff_row *row;

	d->rows = mp_grow(d->rows, &d->cap, d->n + 1, sizeof(*d->rows));
	row = &d->rows[d->n++];
	*row = (struct mp_diff_row){ .of = of, .id = id };
	set_values(row, pair->side[0].mean, pair->side[1].mean);
	if (d->test == MP_DIFF_WELCH)
		return test_pair(row, pair);
	return (struct mp_compare_error){ 0, 0 };
}

static void test_welch(struct mp_diff *d, const struct mp_diff_runs *r,
		       struct mp_compare_error *errors)
{
	struct mp_diff_pair *pairs = mp_alloc(d->n * sizeof(*pairs));
	size_t i;

	for (i = 0; i < d->n; i++)
		set_pair(d, r, &d->rows[i], &pairs[i]);
	mp_diff_variances(pairs, d->n, d->samples ? MP_DIFF_SAMPLES : MP_DIFF_WEIGHTS);
	for (i = 0; i < d->n; i++) {
		struct mp_diff_row *row = &d->rows[i];

		set_means(d, r, row);
		errors[i] = test_pair(row, &pairs[i]);
	}
	free(pairs);
}

static void test_poisson(struct mp_diff *d, const struct mp_diff_runs *r,
			 struct mp_compare_error *errors)
{
	size_t n = r->n_before, i;

	for (i = 0; i < d->n; i++) {
		struct mp_diff_row *row = &d->rows[i];
		struct sum a = add_up(d->exposure, row->weights, n);
		struct sum b = add_up(d->exposure + n, row->weights + n, r->n - n);

		set_values(row, a.weight / a.time, b.weight / b.time);
		if (a.weight >= 0 && b.weight >= 0)
			row->p = mp_compare_poisson_p(a.weight, a.time, b.weight, b.time);
		errors[i].se = sqrt(fabs(row->before) / a.time + fabs(row->after) / b.time);
		errors[i].df = 1e9; /* of a normal distribution */
	}
}

/* Corrects the tests for their number. */
static void correct(struct mp_diff *d, const struct mp_compare_error *errors)
{
	double *p = mp_alloc(d->n * sizeof(*p)), *level = mp_alloc(d->n * sizeof(*level));
	size_t i;

	for (i = 0; i < d->n; i++)
		p[i] = d->rows[i].p;
	mp_compare_holm(p, d->n, MP_DIFF_ALPHA, level);
	for (i = 0; i < d->n; i++) {
		struct mp_diff_row *row = &d->rows[i];

		row->significant = row->p <= level[i];
		row->margin = errors[i].se * mp_compare_student_t(level[i], errors[i].df);
		d->n_significant += row->significant;
	}
	free(level);
	free(p);
}

/* The end of the confidence interval that is nearer to 0; below 0 if 0 is within it. */
static double score(const struct mp_diff_row *row)
{
	return fabs(row->difference) - row->margin;
}

static int by_score(const void *a, const void *b)
{
	const struct mp_diff_row *x = a, *y = b;

	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	if (score(x) != score(y))
		return score(x) > score(y) ? -1 : 1;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void mp_diff_decide(struct mp_diff *d, const struct mp_compare_error *errors)
{
	if (d->test != MP_DIFF_NONE)
		correct(d, errors);
	if (d->n)
		qsort(d->rows, d->n, sizeof(*d->rows), by_score);
}

static void test(struct mp_diff *d, const struct mp_diff_runs *r)
{
	struct mp_compare_error *errors;
	size_t i;

	d->test = d->samples ? MP_DIFF_POISSON : MP_DIFF_NONE;
	if (r->n_before >= 3 && r->n - r->n_before >= 3)
		d->test = MP_DIFF_WELCH;
	errors = mp_alloc(d->n * sizeof(*errors));
	if (d->test == MP_DIFF_WELCH)
		test_welch(d, r, errors);
	else if (d->test == MP_DIFF_POISSON)
		test_poisson(d, r, errors);
	else
		for (i = 0; i < d->n; i++)
			set_means(d, r, &d->rows[i]);
	mp_diff_decide(d, errors);
	free(errors);
}

int mp_diff_make(struct mp_diff *d, struct mp_diff_runs *runs, size_t *bad)
{
	if (set_exposure(d, runs, bad) < 0)
		return -1;
	add_rows(d, runs);
	test(d, runs);
	return 0;
}

void mp_diff_release(struct mp_diff *d)
{
	free(d->rows);
	free(d->functions);
	free(d->exposure);
	*d = (struct mp_diff){ .n = 0 };
}
