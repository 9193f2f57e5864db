// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/loghist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stats/internal.h"

/* The least and the greatest exponent of both sides; an empty range if there are none. */
static void exponents(const struct mp_loghist *h, int *first, int *last)
{
	int low, high;

	if (!mp_loghist_span(h, false, first, last)) {
		*first = EXPONENT_MAX + 1;
		*last = EXPONENT_MIN - 1;
	}
	if (mp_loghist_span(h, true, &low, &high)) {
		*first = MP_MIN(*first, low);
		*last = MP_MAX(*last, high);
	}
}

/* The exact sum of M over both signs: its magnitude, and whether it is negative. */
static u128 part_sum(const struct mp_loghist *h, int exponent, bool *negative)
{
	struct mp_loghist_sums p, n;
	u128 plus, minus;

	mp_loghist_sums(h, exponent, false, &p);
	mp_loghist_sums(h, exponent, true, &n);
	plus = p.sum;
	minus = n.sum;
	*negative = minus > plus;
	return *negative ? minus - plus : plus - minus;
}

/* The least exponent from `from` on that numbers of either sign have; false: there is none. */
static bool next_exponent(const struct mp_loghist *h, int from, int *exponent)
{
	int plus = 0, minus;
	bool has_plus = mp_loghist_next(h, false, from, &plus);

	if (!mp_loghist_next(h, true, from, &minus)) {
		*exponent = plus;
		return has_plus;
	}
	*exponent = has_plus ? MP_MIN(plus, minus) : minus;
	return true;
}

/*
 * Adds the parts from the smallest power up, each exactly before it is rounded to 64 bits, so that
 * the result depends on the numbers alone.
 */
static long double sum_real(const struct mp_loghist *h)
{
	long double sum = 0, v;
	bool negative;
	int e;

	for (e = EXPONENT_MIN; next_exponent(h, e, &e); e++) {
		v = ldexpl((long double)part_sum(h, e, &negative), e - MANTISSA_BITS);
		sum += negative ? -v : v;
	}
	return sum;
}

/*
 * Computes the sum if all numbers are whole: its magnitude and sign. Returns false if there are
 * fractions, or the sum is too large.
 */
static bool sum_whole(const struct mp_loghist *h, u128 *sum, bool *negative)
{
	u128 plus = 0, minus = 0, v;
	int e, last;

	exponents(h, &e, &last);
	if (h->fraction || last > 62)
		return false;
	for (; e <= last; e++) {
		v = part_sum(h, e, negative);
		v = e < MANTISSA_BITS ? v >> (MANTISSA_BITS - e) : v << (e - MANTISSA_BITS);
		*(*negative ? &minus : &plus) += v;
	}
	*negative = minus > plus;
	*sum = *negative ? minus - plus : plus - minus;
	return true;
}

double mp_loghist_sum(const struct mp_loghist *h)
{
	bool negative;
	u128 whole;

	if (sum_whole(h, &whole, &negative))
		return negative ? -(double)whole : (double)whole;
	return (double)sum_real(h);
}

size_t mp_loghist_put_number(char *to, double v)
{
	size_t len = snprintf(to, MP_LOGHIST_SUM_MAX, "%.15g", v);

	return strtod(to, NULL) == v ? len : (size_t)snprintf(to, MP_LOGHIST_SUM_MAX, "%.17g", v);
}

size_t mp_loghist_put_sum(char *to, const struct mp_loghist *h)
{
	char digits[40], *p = digits + sizeof(digits);
	bool negative;
	u128 whole;

	if (!sum_whole(h, &whole, &negative))
		return mp_loghist_put_number(to, mp_loghist_sum(h));
	do
		*--p = (char)('0' + (int)(whole % 10));
	while (whole /= 10);
	return snprintf(to, MP_LOGHIST_SUM_MAX, "%s%.*s", negative ? "-" : "",
			(int)(digits + sizeof(digits) - p), p);
}

double mp_loghist_mean(const struct mp_loghist *h)
{
	bool negative;
	u128 whole;
	long double mean;

	if (h->n == 0)
		return 0;
	if (sum_whole(h, &whole, &negative)) {
		mean = (long double)(whole / h->n) + (long double)(whole % h->n) / h->n;
		return (double)(negative ? -mean : mean);
	}
	mean = sum_real(h) / h->n;
	return MP_MAX(h->min, MP_MIN(h->max, (double)mean));
}

/*
 * The sum of squared deviations from `mean`. Within a part it is exact: n times the sum of squared
 * deviations from the part's own mean is n * squares - sum * sum. Parts are then combined as in
 * Chan, Golub, LeVeque (1979), "Updating formulae and a pairwise algorithm for computing sample
 * variances".
 */
static long double side_deviation(const struct mp_loghist *h, long double mean, bool negative)
{
	long double total = 0, inner, distance;
	struct mp_loghist_sums sums;
	struct mp_u256 all, square;
	int e;

	for (e = EXPONENT_MIN; mp_loghist_next(h, negative, e, &e); e++) {
		mp_loghist_sums(h, e, negative, &sums);
		all = mp_u256_times(&sums.squares, sums.n);
		square = mp_u256_square(sums.sum);
		inner = 0;
		if (mp_u256_less(&square, &all)) {
			all = mp_u256_sub(&all, &square);
			inner = ldexpl(mp_u256_to_real(&all) / sums.n, 2 * (e - MANTISSA_BITS));
		}
		distance = ldexpl((long double)sums.sum / sums.n, e - MANTISSA_BITS);
		distance = (negative ? -distance : distance) - mean;
		total += inner + sums.n * distance * distance;
	}
	return total;
}

double mp_loghist_stddev(const struct mp_loghist *h)
{
	long double mean, total;

	if (h->n == 0 || h->min == h->max)
		return 0;
	mean = sum_real(h) / h->n;
	total = side_deviation(h, mean, true) + mp_loghist_zeros(h) * mean * mean +
		side_deviation(h, mean, false);
	return (double)sqrtl(total / h->n);
}

/*
 * The value that represents the numbers of a bucket: its middle, among the multiples of what
 * divides all numbers of the part. So whole numbers stay whole, and sizes in pages stay multiples
 * of a page.
 */
static double bucket_value(uint64_t bits, int exponent, unsigned bucket)
{
	uint64_t step = bits & -bits, width = 1ull << SUB_SHIFT;
	uint64_t middle = step < width ? (width / step - 1) / 2 * step : 0;

	return ldexp((double)(MANTISSA_ONE + bucket * width + middle), exponent - MANTISSA_BITS);
}

static double clamp(const struct mp_loghist *h, double v)
{
	return MP_MAX(h->min, MP_MIN(h->max, v));
}

/*
 * The value of the number with a rank (1 is the least magnitude) among those with this sign and
 * exponent.
 */
static double value_at(const struct mp_loghist *h, int exponent, bool negative, uint64_t rank)
{
	struct mp_loghist_sums sums;
	uint64_t counts[BUCKETS];
	unsigned bucket = 0;
	double v;

	mp_loghist_sums(h, exponent, negative, &sums);
	mp_loghist_counts(h, exponent, negative, counts);
	for (; counts[bucket] < rank; bucket++)
		rank -= counts[bucket];
	v = bucket_value(sums.bits, exponent, bucket);
	return clamp(h, negative ? -v : v);
}

double mp_loghist_percentile(const struct mp_loghist *h, double share)
{
	long double exact = (long double)share * h->n;
	uint64_t rank, n;
	int first, last, e;

	if (h->n == 0)
		return 0;
	/* 0.07 is a little more than 7 / 100: that must not select the next rank */
	rank = exact <= 1 ? 1 : (uint64_t)ceill(exact - exact * 0x1p-50L);
	if (rank == 1 || rank >= h->n)
		return rank == 1 ? h->min : h->max;
	if (mp_loghist_span(h, true, &first, &last))
		for (e = last; e >= first; e--, rank -= n) {
			n = mp_loghist_log2(h, e, true);
			if (rank <= n)
				return value_at(h, e, true, n - rank + 1);
		}
	n = mp_loghist_zeros(h);
	if (rank <= n)
		return 0;
	rank -= n;
	for (e = EXPONENT_MIN; mp_loghist_next(h, false, e, &e); e++, rank -= n) {
		n = mp_loghist_log2(h, e, false);
		if (rank <= n)
			return value_at(h, e, false, rank);
	}
	return h->max;
}
