/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of whether two sides differ: Welch's t-test for the means of several values a side, the
 * conditional test for Poisson counts, and Holm's correction for many tests. Includes base only.
 */
#ifndef MP_STATS_COMPARE_H
#define MP_STATS_COMPARE_H

#include "lib/core/base.h"

/*
 * The regularized incomplete beta function I_x(a, b), a and b above 0, to about 12 digits: by the
 * continued fraction of https://dlmf.nist.gov/8.17.E22. `y` is 1 - x: where x is near 1, it has
 * digits that x has not.
 */
double mp_compare_beta(double x, double y, double a, double b);

/* The probability that Student's t with `df` degrees of freedom is at least |t| from 0. */
double mp_compare_student_p(double t, double df);

/* The t for which that probability is `p`, above 0 and below 1. */
double mp_compare_student_t(double p, double df);

/*
 * The mean of the logarithm of a variance that was estimated with `df` degrees of freedom, where
 * the true one is 1: digamma(df/2) - log(df/2), by the series of https://dlmf.nist.gov/5.11.E2.
 */
double mp_compare_log_variance(double df);

/* The values of a side: their variance, its degrees of freedom, and how many values there are. */
struct mp_compare_sample {
	double variance, df, n;
};

/* The difference of the means of two sides: its standard error, and degrees of freedom. */
struct mp_compare_error {
	double se, df;
};

/*
 * B. L. Welch, The generalization of 'Student's' problem when several different population
 * variances are involved, Biometrika 34, 1947.
 */
struct mp_compare_error mp_compare_welch(const struct mp_compare_sample *a,
					 const struct mp_compare_sample *b);

/*
 * The probability that two Poisson counts of the same rate differ by as much or more, given their
 * sum: twice the smaller tail of a binomial distribution, or of its approximations where the
 * variance exceeds 10,000, or one side was counted a million times as long as the other. `time_a`
 * and `time_b`, above 0, are how long was counted, in any unit.
 * J. Przyborowski, H. Wilenski, Homogeneity of results in testing samples from Poisson series,
 * Biometrika 31, 1940.
 */
double mp_compare_poisson_p(double count_a, double time_a, double count_b, double time_b);

/*
 * The level of a Poisson test at which the probability that any of many tests without a cause is
 * called significant is at most `alpha`: test i is significant if p[i] <= level. Counts so small
 * that no test of them can be significant are not among the many. `at_least[n]` is how many tests
 * have a sum of both counts of n or more, for n below `size`; `size` tests and more are taken as
 * `size` - 1. R. E. Tarone, A modified Bonferroni method for discrete data, Biometrics 46, 1990.
 */
double mp_compare_poisson_level(const size_t *at_least, size_t size, double time_a, double time_b,
				double alpha);

/*
 * Decides about n tests so that the probability that any of those without a cause is called
 * significant is at most `alpha`, however the tests depend on each other: test i is significant if
 * p[i] <= level[i], which this function sets. S. Holm, A simple sequentially rejective multiple
 * test procedure, Scandinavian Journal of Statistics 6, 1979.
 */
void mp_compare_holm(const double *p, size_t n, double alpha, double *level);

#endif
