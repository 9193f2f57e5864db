// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/compare.h"

#include <math.h>
#include <string.h>

#include "tests/unit/tap.h"

static bool near(double x, double wanted)
{
	return fabs(x - wanted) <= 1e-9 * fabs(wanted);
}

static void test_beta(void)
{
	double x;
	bool same = true;

	ok(mp_compare_beta(0, 1, 2, 3) == 0 && mp_compare_beta(1, 0, 2, 3) == 1,
	   "the ends of beta");
	for (x = 0.01; x < 1; x += 0.01) {
		/* I_x(2,3) is the probability of 2 or more of 4 */
		double q = 1 - x, two = 6 * x * x * q * q + 4 * x * x * x * q + x * x * x * x;

		same &= near(mp_compare_beta(x, 1 - x, 2, 3), two) &&
			near(mp_compare_beta(x, 1 - x, 1, 7), -expm1(7 * log1p(-x))) &&
			near(mp_compare_beta(x, 1 - x, 0.5, 0.5), 2 / M_PI * asin(sqrt(x)));
	}
	ok(same, "beta where it is elementary");
}

static void test_student(void)
{
	/* 1 and 2 degrees of freedom have elementary distributions; the others are of R's qt() */
	ok(near(mp_compare_student_p(3, 1), 1 - 2 / M_PI * atan(3)), "t with 1 degree of freedom");
	ok(near(mp_compare_student_p(-3, 2), 1 - 3 / sqrt(11)), "t with 2 degrees of freedom");
	ok(fabs(mp_compare_student_t(0.05, 4) - 2.776445105) < 1e-8, "qt(0.975, 4)");
	ok(fabs(mp_compare_student_t(0.05, 8) - 2.306004135) < 1e-8, "qt(0.975, 8)");
	ok(fabs(mp_compare_student_t(0.001, 10) - 4.586893859) < 1e-8, "qt(0.9995, 10)");
}

static void test_inverse(void)
{
	double p, df;
	bool same = true;

	for (p = 0.9; p > 1e-12; p /= 3)
		for (df = 1; df < 1e6; df *= 1.7)
			same &= fabs(mp_compare_student_p(mp_compare_student_t(p, df), df) / p -
				     1) < 1e-6;
	ok(same, "mp_compare_student_t() is the inverse of mp_compare_student_p()");
}

static void test_log_variance(void)
{
	const double gamma = 0.57721566490153286;

	ok(near(mp_compare_log_variance(2), -gamma) &&
		   near(mp_compare_log_variance(1), -gamma - log(2)) &&
		   near(mp_compare_log_variance(8), 11.0 / 6 - gamma - log(4)),
	   "the mean logarithm of a variance");
}

static struct mp_compare_error welch(double variance_a, double n_a, double variance_b, double n_b)
{
	return mp_compare_welch(&(struct mp_compare_sample){ variance_a, n_a - 1, n_a },
				&(struct mp_compare_sample){ variance_b, n_b - 1, n_b });
}

static void test_welch(void)
{
	struct mp_compare_error e = welch(4, 4, 4, 4);

	ok(near(e.se, sqrt(2)) && near(e.df, 6), "equal variances");
	e = welch(10, 5, 0, 9);
	ok(near(e.se, sqrt(2)) && near(e.df, 4), "one side has no variance");
	e = welch(0, 3, 0, 3);
	ok(e.se == 0 && e.df == 4, "no variance at all");
}

static void test_poisson(void)
{
	double all = pow(0.5, 10), one = 10 * pow(0.5, 10);

	ok(near(mp_compare_poisson_p(0, 1, 10, 1), 2 * all) &&
		   near(mp_compare_poisson_p(10, 1, 0, 1), 2 * all),
	   "0 and 10");
	ok(near(mp_compare_poisson_p(1, 7, 9, 7), 2 * (all + one)), "1 and 9");
	ok(mp_compare_poisson_p(5, 1, 5, 1) == 1 && mp_compare_poisson_p(0, 1, 0, 1) == 1,
	   "no difference");
	ok(near(mp_compare_poisson_p(3, 1, 0, 9), 2 * 0.001), "other times");
	/* where one side is far longer, the other has a Poisson distribution */
	ok(fabs(mp_compare_poisson_p(10, 3, 9e17, 9e17) / 0.002204976 - 1) < 0.15,
	   "10 where 3 are expected");
	ok(fabs(mp_compare_poisson_p(0, 3, 9e17, 9e17) / (2 * exp(-3)) - 1) < 0.15 &&
		   mp_compare_poisson_p(1000, 1e3, 9e18, 9e18) > 0.9,
	   "0 where 3 are expected, 1000 where 1000 are");
	ok(fabs(log(mp_compare_poisson_p(19600, 1, 20000, 1) /
		    mp_compare_poisson_p(20050, 1, 20450, 1))) < 0.1,
	   "the approximation continues the exact test");
}

static void test_holm(void)
{
	const double p[] = { 0.04, 0.001, 0.012, 0.9, 0.012 };
	double level[5];

	mp_compare_holm(p, 5, 0.05, level);
	ok(near(level[1], 0.01) && near(level[2], 0.0125) && near(level[4], 0.05 / 3),
	   "levels of the significant ones");
	ok(near(level[0], 0.025) && level[3] == level[0], "the others stop at the first of them");
	mp_compare_holm(p, 0, 0.05, level);
	mp_compare_holm(p, 1, 0.05, level);
	ok(level[0] == 0.05, "one test needs no correction");
}

/* Whether a sum of n can be significant. */
static bool can(size_t n, double time_a, double time_b, double level)
{
	return mp_compare_poisson_p(0, time_a, (double)n, time_b) <= level ||
	       mp_compare_poisson_p((double)n, time_a, 0, time_b) <= level;
}

static void test_poisson_level(void)
{
	enum { SIZE = 64 };
	static const double times[][2] = { { 1, 1 }, { 1, 2 }, { 9, 1 }, { 1e5, 1 } };
	size_t at_least[SIZE], few, n, i;
	bool safe = true, none_lost = true;
	double level;

	for (few = 1; few < 3000000; few = few * 3 + 1) {
		for (i = 0; i < MP_ARRAY_SIZE(times); i++) {
			for (n = 0; n < SIZE; n++) /* half as many for each one more */
				at_least[n] = few >> n;
			level = mp_compare_poisson_level(at_least, SIZE, times[i][0], times[i][1],
							 0.05);
			for (n = 0; n < SIZE && !can(n, times[i][0], times[i][1], level); n++)
				;
			safe &= (double)at_least[n] * level <= 0.05 * (1 + 1e-9);
			none_lost &= level >= 0.05 / (double)few;
		}
	}
	ok(safe, "the tests that can be significant have a level for all of them");
	ok(none_lost, "which is not below that for all tests");
	for (n = 0; n < SIZE; n++)
		at_least[n] = 1000;
	ok(near(mp_compare_poisson_level(at_least, SIZE, 1, 1, 0.05), 5e-5), "large counts only");
	memset(at_least, 0, sizeof(at_least));
	ok(near(mp_compare_poisson_level(at_least, SIZE, 1, 1, 0.05), 0.05), "no counts");
}

int main(void)
{
	test_beta();
	test_student();
	test_inverse();
	test_log_variance();
	test_welch();
	test_poisson();
	test_holm();
	test_poisson_level();
	return tap_done();
}
