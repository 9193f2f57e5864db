// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/loghist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stats/internal.h"

/* Splits |value| into E and M; value is not 0. */
static void split_double(double value, int *exponent, uint64_t *mantissa)
{
	uint64_t bits, m;
	int e, shift;

	memcpy(&bits, &value, sizeof(bits));
	m = bits & (MANTISSA_ONE - 1);
	e = (int)(bits >> MANTISSA_BITS & 0x7ff);
	if (e) {
		*exponent = e - 1023;
		*mantissa = m | MANTISSA_ONE;
		return;
	}
	shift = __builtin_clzll(m) - (63 - MANTISSA_BITS);
	*exponent = -1022 - shift;
	*mantissa = m << shift;
}

int mp_loghist_exponent(double value)
{
	uint64_t mantissa;
	int exponent;

	split_double(value, &exponent, &mantissa);
	return exponent;
}

static struct mp_loghist_part *part_at(const struct mp_loghist_side *s, int exponent)
{
	int i = exponent - s->first;

	return i >= 0 && i < s->n ? s->parts[i] : NULL;
}

/* The part that holds numbers with an exponent, allocated if necessary. */
static struct mp_loghist_part *part_make(struct mp_loghist_side *s, int exponent)
{
	int first = s->n ? MP_MIN(s->first, exponent) : exponent;
	int last = s->n ? MP_MAX(s->first + s->n - 1, exponent) : exponent;
	struct mp_loghist_part **parts;

	if (last - first + 1 != s->n) {
		parts = mp_zalloc((last - first + 1) * sizeof(struct mp_loghist_part *));
		if (s->n)
			memcpy(parts + (s->first - first), s->parts, s->n * sizeof(*parts));
		free(s->parts);
		*s = (struct mp_loghist_side){ parts, first, last - first + 1 };
	}
	if (!s->parts[exponent - first])
		s->parts[exponent - first] = mp_zalloc(sizeof(struct mp_loghist_part));
	return s->parts[exponent - first];
}

static void side_release(struct mp_loghist_side *s)
{
	int i, j;

	for (i = 0; i < s->n; i++) {
		for (j = 0; s->parts[i] && j < CHUNKS; j++)
			free(s->parts[i]->chunks[j]);
		free(s->parts[i]);
	}
	free(s->parts);
}

void mp_loghist_release(struct mp_loghist *h)
{
	side_release(&h->positive);
	side_release(&h->negative);
	*h = (struct mp_loghist){ .n = 0 };
}

/* Adds to the count and extends the range; false if the count would exceed 64 bits. */
static bool add_count(struct mp_loghist *h, uint64_t n, double min, double max)
{
	if (__builtin_add_overflow(h->n, n, &n)) {
		h->overflow = true;
		return false;
	}
	h->min = h->n ? MP_MIN(h->min, min) : min;
	h->max = h->n ? MP_MAX(h->max, max) : max;
	h->n = n;
	return true;
}

static bool is_integer(int exponent, uint64_t mantissa)
{
	return exponent >= MANTISSA_BITS ||
	       (exponent >= 0 && !(mantissa << exponent & (MANTISSA_ONE - 1)));
}

/* Adds in place; the usual weight, 1, needs no multiplication of 256 bits. */
static inline void add_square(struct mp_u256 *to, uint64_t mantissa, uint64_t weight)
{
	u128 square = (u128)mantissa * mantissa;
	struct mp_u256 product;
	bool carry;

	if (weight != 1) {
		product = mp_u256_of(square);
		product = mp_u256_times(&product, weight);
		mp_u256_add(to, &product);
		return;
	}
	carry = __builtin_add_overflow(to->v[0], (uint64_t)square, &to->v[0]);
	/* the upper half is below 2^42, so that adding the carry does not overflow */
	square = (square >> 64) + carry;
	carry = __builtin_add_overflow(to->v[1], (uint64_t)square, &to->v[1]);
	to->v[2] += carry; /* stays below 2^42, since the sum of squares is below 2^170 */
}

void mp_loghist_add(struct mp_loghist *h, double value, uint64_t weight)
{
	struct mp_loghist_side *side = value < 0 ? &h->negative : &h->positive;
	struct mp_loghist_part *part;
	uint64_t mantissa;
	int exponent;

	value += 0; /* -0 becomes 0 */
	if (weight == 0 || !add_count(h, weight, value, value))
		return;
	if (value == 0) {
		h->zero += weight;
		return;
	}
	split_double(value, &exponent, &mantissa);
	part = part_at(side, exponent);
	if (!part)
		part = part_make(side, exponent);
	*mp_loghist_count_make(part, mantissa >> SUB_SHIFT & (BUCKETS - 1)) += weight;
	part->bits |= mantissa;
	part->sum += (u128)mantissa * weight;
	add_square(&part->squares, mantissa, weight);
	h->fraction |= !is_integer(exponent, mantissa);
}

static void part_merge(struct mp_loghist_part *to, const struct mp_loghist_part *from)
{
	unsigned i;

	to->bits |= from->bits;
	to->sum += from->sum;
	mp_u256_add(&to->squares, &from->squares);
	for (i = 0; i < BUCKETS; i++)
		if (mp_loghist_count_at(from, i))
			*mp_loghist_count_make(to, i) += mp_loghist_count_at(from, i);
}

static void side_merge(struct mp_loghist_side *to, const struct mp_loghist_side *from)
{
	int i;

	for (i = 0; i < from->n; i++)
		if (from->parts[i])
			part_merge(part_make(to, from->first + i), from->parts[i]);
}

void mp_loghist_merge(struct mp_loghist *to, const struct mp_loghist *from)
{
	to->overflow |= from->overflow;
	if (from->n == 0 || !add_count(to, from->n, from->min, from->max))
		return;
	to->zero += from->zero;
	to->fraction |= from->fraction;
	side_merge(&to->positive, &from->positive);
	side_merge(&to->negative, &from->negative);
}

/* The least and the greatest exponent of both sides. */
static void exponents(const struct mp_loghist *h, int *first, int *last)
{
	const struct mp_loghist_side *p = &h->positive, *n = &h->negative;

	*first = p->n ? p->first : n->first;
	*last = p->n ? p->first + p->n - 1 : n->first + n->n - 1;
	if (n->n) {
		*first = MP_MIN(*first, n->first);
		*last = MP_MAX(*last, n->first + n->n - 1);
	}
}

/* The exact sum of M over both signs: its magnitude, and whether it is negative. */
static u128 part_sum(const struct mp_loghist *h, int exponent, bool *negative)
{
	const struct mp_loghist_part *p = part_at(&h->positive, exponent),
				     *n = part_at(&h->negative, exponent);
	u128 plus = p ? p->sum : 0, minus = n ? n->sum : 0;

	*negative = minus > plus;
	return *negative ? minus - plus : plus - minus;
}

/*
 * Adds the parts from the smallest power up, each exactly before it is rounded to 64 bits, so that
 * the result depends on the numbers alone.
 */
static long double sum_real(const struct mp_loghist *h)
{
	long double sum = 0, v;
	bool negative;
	int e, last;

	for (exponents(h, &e, &last); e <= last; e++) {
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

static uint64_t part_count(const struct mp_loghist_part *part)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; part && i < BUCKETS; i++)
		n += mp_loghist_count_at(part, i);
	return n;
}

/*
 * The sum of squared deviations from `mean`. Within a part it is exact: n times the sum of squared
 * deviations from the part's own mean is n * squares - sum * sum. Parts are then combined as in
 * Chan, Golub, LeVeque (1979), "Updating formulae and a pairwise algorithm for computing sample
 * variances".
 */
static long double side_deviation(const struct mp_loghist_side *s, long double mean, int sign)
{
	long double total = 0, inner, distance;
	int i;

	for (i = 0; i < s->n; i++) {
		const struct mp_loghist_part *part = s->parts[i];
		uint64_t n = part_count(part);
		struct mp_u256 all, square;

		if (n == 0)
			continue;
		all = mp_u256_times(&part->squares, n);
		square = mp_u256_square(part->sum);
		inner = 0;
		if (mp_u256_less(&square, &all)) {
			all = mp_u256_sub(&all, &square);
			inner = ldexpl(mp_u256_to_real(&all) / n,
				       2 * (s->first + i - MANTISSA_BITS));
		}
		distance = ldexpl((long double)part->sum / n, s->first + i - MANTISSA_BITS);
		distance = sign * distance - mean;
		total += inner + n * distance * distance;
	}
	return total;
}

double mp_loghist_stddev(const struct mp_loghist *h)
{
	long double mean, total;

	if (h->n == 0 || h->min == h->max)
		return 0;
	mean = sum_real(h) / h->n;
	total = side_deviation(&h->negative, mean, -1) + h->zero * mean * mean +
		side_deviation(&h->positive, mean, 1);
	return (double)sqrtl(total / h->n);
}

/*
 * The value that represents the numbers of a bucket: its middle, among the multiples of what
 * divides all numbers of the part. So whole numbers stay whole, and sizes in pages stay multiples
 * of a page.
 */
static double bucket_value(const struct mp_loghist_part *part, int exponent, unsigned bucket)
{
	uint64_t step = part->bits & -part->bits, width = 1ull << SUB_SHIFT;
	uint64_t middle = step < width ? (width / step - 1) / 2 * step : 0;

	return ldexp((double)(MANTISSA_ONE + bucket * width + middle), exponent - MANTISSA_BITS);
}

static double clamp(const struct mp_loghist *h, double v)
{
	return MP_MAX(h->min, MP_MIN(h->max, v));
}

double mp_loghist_percentile(const struct mp_loghist *h, double share)
{
	const struct mp_loghist_side *s = &h->negative;
	long double exact = (long double)share * h->n;
	uint64_t rank, seen = 0;
	int i, b;

	if (h->n == 0)
		return 0;
	/* 0.07 is a little more than 7 / 100: that must not select the next rank */
	rank = exact <= 1 ? 1 : (uint64_t)ceill(exact - exact * 0x1p-50L);
	if (rank == 1 || rank >= h->n)
		return rank == 1 ? h->min : h->max;
	for (i = s->n - 1; i >= 0; i--)
		for (b = BUCKETS - 1; s->parts[i] && b >= 0; b--)
			if ((seen += mp_loghist_count_at(s->parts[i], b)) >= rank)
				return clamp(h, -bucket_value(s->parts[i], s->first + i, b));
	if ((seen += h->zero) >= rank)
		return 0;
	s = &h->positive;
	for (i = 0; i < s->n; i++)
		for (b = 0; s->parts[i] && b < BUCKETS; b++)
			if ((seen += mp_loghist_count_at(s->parts[i], b)) >= rank)
				return clamp(h, bucket_value(s->parts[i], s->first + i, b));
	return h->max;
}

static uint64_t side_count(const struct mp_loghist_side *s, double low, double high, int sign)
{
	uint64_t n = 0;
	int i, b;

	for (i = 0; i < s->n; i++) {
		for (b = 0; s->parts[i] && b < BUCKETS; b++) {
			double v = sign * ldexp((double)(BUCKETS + b), s->first + i - SUB_BITS);

			if (v >= low && v < high)
				n += mp_loghist_count_at(s->parts[i], b);
		}
	}
	return n;
}

uint64_t mp_loghist_count(const struct mp_loghist *h, double low, double high)
{
	return side_count(&h->negative, low, high, -1) + (low <= 0 && high > 0 ? h->zero : 0) +
	       side_count(&h->positive, low, high, 1);
}

uint64_t mp_loghist_log2(const struct mp_loghist *h, int exponent, bool negative)
{
	return part_count(part_at(negative ? &h->negative : &h->positive, exponent));
}
