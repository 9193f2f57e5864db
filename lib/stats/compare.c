// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/compare.h"

#include <math.h>
#include <stdlib.h>

static double not_zero(double v)
{
	const double tiny = 1e-300;

	return fabs(v) < tiny ? tiny : v;
}

/* The continued fraction by the modified Lentz method. It converges if x < (a+1)/(a+b+2). */
static double beta_fraction(double x, double a, double b)
{
	enum { STEPS_MAX = 10000 };
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), f = d;
	int m;

	for (m = 1; m < STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		f *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/*
 * log(Gamma(a + b) / Gamma(a) / Gamma(b)). For a great b two logarithms would cancel: there it is
 * Stirling's series (https://dlmf.nist.gov/5.11.E1) of their difference.
 */
static double log_gammas(double a, double b)
{
	enum { GREAT = 1000000 };

	if (a > b)
		return log_gammas(b, a);
	if (b < GREAT)
		return lgamma(a + b) - lgamma(a) - lgamma(b);
	return (b - 0.5) * log1p(a / b) + a * log(a + b) - a + (1 / (a + b) - 1 / b) / 12 -
	       lgamma(a);
}

double mp_compare_beta(double x, double y, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(log_gammas(a, b) + a * (x < y ? log(x) : log1p(-y)) +
		    b * (x < y ? log1p(-x) : log(y)));
	if (x < (a + 1) / (a + b + 2))
		return MP_MIN(1, front * beta_fraction(x, a, b) / a);
	return MP_MAX(0, 1 - front * beta_fraction(y, b, a) / b);
}

double mp_compare_student_p(double t, double df)
{
	return mp_compare_beta(df / (df + t * t), t * t / (df + t * t), df / 2, 0.5);
}

static double student_density(double t, double df)
{
	return exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* Newton's method for log(p), which bends little; a step too far, where p is 0, is halved. */
double mp_compare_student_t(double p, double df)
{
	enum { STEPS_MAX = 200 };
	double t = 1;
	int i;

	for (i = 0; i < STEPS_MAX; i++) {
		double at = mp_compare_student_p(t, df), step;

		if (at <= 0) {
			t /= 2;
			continue;
		}
		step = log(at / p) * at / (2 * student_density(t, df));
		if (t + step <= 0)
			step = -t / 2;
		t += step;
		if (fabs(step) < 1e-12 * t)
			break;
	}
	return t;
}

double mp_compare_log_variance(double df)
{
	double x = df / 2, below = 0, f;

	for (; x < 10; x++)
		below += 1 / x;
	f = 1 / (x * x);
	return log(x) - 0.5 / x - f * (1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f / 240))) -
	       below - log(df / 2);
}

struct mp_compare_error mp_compare_welch(const struct mp_compare_sample *a,
					 const struct mp_compare_sample *b)
{
	double x = a->variance / a->n, y = b->variance / b->n;
	double sum = x * x / a->df + y * y / b->df;

	return (struct mp_compare_error){
		.se = sqrt(x + y),
		.df = sum > 0 ? (x + y) * (x + y) / sum : a->df + b->df,
	};
}

/*
 * How many standard deviations of a normal distribution correspond to a Poisson distribution of at
 * least `count`, which is above 0: E. B. Wilson, M. M. Hilferty, The distribution of chi-square,
 * PNAS 17, 1931.
 */
static double deviations(double count, double expected)
{
	return (cbrt(expected / count) - 1 + 1 / (9 * count)) * 3 * sqrt(count);
}

double mp_compare_poisson_p(double count_a, double time_a, double count_b, double time_b)
{
	enum { VARIANCE_NORMAL = 10000 };
	const double known = 1e-6; /* the rate of a side that was counted a million times as long */
	double n = count_a + count_b, low = 1, high = 1;
	double share = time_a / (time_a + time_b), rest = time_b / (time_a + time_b);
	double variance = n * share * rest;

	if (rest < share)
		return mp_compare_poisson_p(count_b, time_b, count_a, time_a);
	if (variance > VARIANCE_NORMAL)
		return erfc(fabs(count_a - n * share) / sqrt(2 * variance));
	if (share < known) {
		low = erfc(deviations(count_a + 1, n * share) / M_SQRT2) / 2;
		if (count_a > 0)
			high = erfc(-deviations(count_a, n * share) / M_SQRT2) / 2;
		return MP_MIN(1, 2 * MP_MIN(low, high));
	}
	if (count_b > 0) /* at most count_a */
		low = mp_compare_beta(rest, share, count_b, count_a + 1);
	if (count_a > 0) /* at least count_a */
		high = mp_compare_beta(share, rest, count_a, count_b + 1);
	return MP_MIN(1, 2 * MP_MIN(low, high));
}

/*
 * The smallest p of a sum n is that of all counts on the side that was counted for less time. It
 * can be significant among k tests if it is at most alpha / k, that is for k up to `most`.
 */
double mp_compare_poisson_level(const size_t *at_least, size_t size, double time_a, double time_b,
				double alpha)
{
	double share = MP_MIN(time_a, time_b) / (time_a + time_b), most = 0, before, tests = 1;
	size_t n;

	for (n = 1; n < size; n++) {
		before = most * (1 + 1e-9); /* there, sums of n - 1 can be significant */
		most = alpha / (2 * pow(share, (double)n));
		tests = MP_MAX(MP_MAX((double)at_least[n], before), 1);
		if (tests <= most)
			break;
	}
	return alpha / tests;
}

static int by_p(const void *a, const void *b, void *arg)
{
	const double *p = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (p[x] != p[y])
		return p[x] < p[y] ? -1 : 1;
	return x < y ? -1 : 1;
}

void mp_compare_holm(const double *p, size_t n, double alpha, double *level)
{
	size_t *order = mp_alloc(n * sizeof(*order)), i;
	double at = alpha;
	bool stopped = false;

	for (i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_p, (void *)p);
	for (i = 0; i < n; i++) {
		if (!stopped)
			at = alpha / (double)(n - i);
		level[order[i]] = at;
		stopped |= p[order[i]] > at;
	}
	free(order);
}
