// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/variance.h"

#include <math.h>
#include <stdlib.h>

enum {
	COMMON_DF = 4,	 /* weight of the expected variance, in degrees of freedom */
	COMMON_MIN = 10, /* least number of functions from which it is estimated */
	SAMPLES_MIN = 5, /* a function with fewer samples in a run says little of it */
};

static const double own_only = 0.25;

/* What is known of the variances of one side. */
struct common {
	double dispersion; /* without samples: variance of small functions / scale */
	double disturbed;  /* variance of disturbances / scale^2 */
	bool known;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The median, over all functions, of the variance divided by the scale. Where it is not known what
 * one event weighs, this takes the place of the variance of samples.
 */
static double usual_dispersion(const struct mp_diff_pair *v, size_t n, size_t side)
{
	double *of = mp_alloc(n * sizeof(*of)), median = 0;
	size_t m = 0, i;

	for (i = 0; i < n; i++)
		if (v[i].scale > 0)
			of[m++] = v[i].side[side].variance / v[i].scale;
	if (m) {
		qsort(of, m, sizeof(*of), by_value);
		median = of[m / 2];
	}
	free(of);
	return median;
}

static double sampling(const struct mp_diff_pair *p, size_t side, const struct common *c)
{
	return p->side[side].sampling + c->dispersion * p->scale;
}

static double expected(const struct mp_diff_pair *p, size_t side, const struct common *c)
{
	return sampling(p, side, c) + c->disturbed * p->scale * p->scale;
}

static bool tells(const struct mp_diff_pair *p, size_t side, enum mp_diff_noise noise)
{
	return p->common && p->scale > 0 && p->side[side].variance > 0 &&
	       (noise != MP_DIFF_SAMPLES || p->side[side].samples >= SAMPLES_MIN);
}

/*
 * Whether variances are greater than expected: the mean of the logarithm, where each function has
 * the more weight the more of its expected variance is of disturbances.
 */
static bool is_too_small(const struct mp_diff_pair *v, size_t n, size_t side,
			 enum mp_diff_noise noise, const struct common *c)
{
	double usual = mp_compare_log_variance((double)(v[0].side[side].n - 1)), sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		double all = expected(&v[i], side, c);

		if (tells(&v[i], side, noise))
			sum += (1 - sampling(&v[i], side, c) / all) *
			       (log(v[i].side[side].variance / all) - usual);
	}
	return sum > 0;
}

static struct common find_common(const struct mp_diff_pair *v, size_t n, size_t side,
				 enum mp_diff_noise noise)
{
	struct common c = { .dispersion =
				    noise == MP_DIFF_WEIGHTS ? usual_dispersion(v, n, side) : 0 };
	double low = 0, high = 0;
	size_t telling = 0, i;
	int step;

	for (i = 0; i < n; i++) {
		if (!tells(&v[i], side, noise))
			continue;
		high = MP_MAX(high, v[i].side[side].variance / v[i].scale / v[i].scale);
		telling++;
	}
	c.known = telling >= COMMON_MIN;
	for (step = 0; c.known && step < 60; step++) {
		c.disturbed = low + (high - low) / 2;
		if (is_too_small(v, n, side, noise, &c))
			low = c.disturbed;
		else
			high = c.disturbed;
	}
	return c;
}

/* Whether the runs of a function vary as much as expected, or less, or a little more. */
static bool is_usual(const struct mp_diff_pair *p, const struct common c[2])
{
	double ratio = 0, df = 0;
	size_t i;

	if (!c[0].known || !c[1].known)
		return false;
	for (i = 0; i < 2; i++) {
		double all = expected(p, i, &c[i]);

		if (all <= 0)
			return false;
		ratio += (double)(p->side[i].n - 1) * p->side[i].variance / all;
		df += (double)(p->side[i].n - 1);
	}
	/* the tail of the F distribution */
	return mp_compare_beta(COMMON_DF / (COMMON_DF + ratio), ratio / (COMMON_DF + ratio),
			       COMMON_DF / 2.0, df / 2) > own_only;
}

void mp_diff_variances(struct mp_diff_pair *v, size_t n, enum mp_diff_noise noise)
{
	struct common c[2];
	size_t i, side;

	if (!n)
		return;
	for (side = 0; side < 2; side++)
		c[side] = find_common(v, n, side, noise);
	for (i = 0; i < n; i++) {
		bool usual = is_usual(&v[i], c);

		for (side = 0; side < 2; side++) {
			const struct mp_diff_side *s = &v[i].side[side];
			struct mp_compare_sample *best = &v[i].best[side];
			double own = (double)(s->n - 1), more = usual ? COMMON_DF : 0;

			best->n = (double)s->n;
			best->df = own + more;
			best->variance =
				(own * s->variance + more * expected(&v[i], side, &c[side])) /
				best->df;
			best->variance = MP_MAX(best->variance, sampling(&v[i], side, &c[side]));
		}
	}
}
