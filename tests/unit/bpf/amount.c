// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the fixed-point numbers of bpf/amount.h with floating point, and the distribution of
 * distances.
 */
#include "bpf/amount.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static double worst;

static void compare(double got, double want)
{
	worst = fmax(worst, fabs(got - want));
}

static void logarithms(void)
{
	uint64_t v;
	double r;

	for (v = 1, worst = 0; v <= 1ull << 32; v += (v >> 10) + 1)
		compare((double)mp_amount_ln(v) / MP_AMOUNT_ONE, log((double)v));
	ok(worst < 1e-8, "logarithms are right to %.1e", worst);
	for (r = 0, worst = 0; r < 32; r += 0.003)
		compare((double)mp_amount_exp((uint64_t)(r * MP_AMOUNT_ONE)) / MP_AMOUNT_ONE,
			exp(-r));
	ok(worst < 1e-8, "exponentials are right to %.1e", worst);
}

/* The mean over random numbers that are 1/256 apart, since rounding is at random. */
static double mean_scaled(uint64_t mean, uint64_t amount)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < 256; i++)
		sum += (double)mp_amount_scaled(mean, amount, i << 24 | 1 << 23);
	return sum / 256;
}

static void scales(void)
{
	uint64_t mean, amount;
	double right, off;

	worst = 0;
	for (mean = 2; mean <= MP_AMOUNT_MEAN_MAX; mean += mean / 2)
		for (amount = 1; amount < 1ull << 43; amount += amount / 3 + 1) {
			right = (double)amount / -expm1(-(double)amount / (double)mean);
			off = fabs(mean_scaled(mean, amount) - right) - 1.0 / 256;
			compare(fmax(off, 0) / right, 0);
		}
	ok(worst < 1e-6, "weights are right to %.1e on average", worst);
	ok(mp_amount_scaled(100, 1ull << 50, 0) == 1ull << 50, "large ones stand for themselves");
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 32);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The largest distance between two distribution functions (Kolmogorov and Smirnov). */
static double distance_from_exponential(uint64_t mean)
{
	enum { N = 200000 };
	static uint64_t v[N];
	uint64_t state = mean;
	double d = 0;
	size_t i;

	for (i = 0; i < N; i++)
		v[i] = mp_amount_distance(mean, next_random(&state));
	qsort(v, N, sizeof(*v), by_size);
	for (i = 0; i < N; i++) {
		if (i + 1 < N && v[i + 1] == v[i])
			continue;
		d = fmax(d, fabs((double)(i + 1) / N + expm1(-(double)v[i] / (double)mean)));
	}
	return d * sqrt(N);
}

static void distances(void)
{
	static const uint64_t means[] = { 2, 100, 10007, 524288, 1ull << 33, MP_AMOUNT_MEAN_MAX };
	double d;
	size_t i;

	for (i = 0; i < sizeof(means) / sizeof(*means); i++) {
		d = distance_from_exponential(means[i]);
		ok(d < 1.63, "distances of mean %llu are exponential: %.2f",
		   (unsigned long long)means[i], d);
	}
	ok(mp_amount_distance(1000, UINT32_MAX) == 1, "the smallest distance is 1");
	ok(mp_amount_distance(MP_AMOUNT_MEAN_MAX, 0) < 1ull << 45,
	   "and the largest has no overflow");
}

int main(void)
{
	logarithms();
	scales();
	distances();
	return tap_done();
}
