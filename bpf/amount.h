/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by amount, for programs without floating point. Sampling points lie at random, on average
 * `mean` apart and independent of each other (a Poisson process), so that an allocation of `amount`
 * contains one with the probability 1 - exp(-amount / mean). Its amount divided by that probability
 * is right on average. Points at a fixed distance could coincide with a pattern of the program.
 */
#ifndef MP_BPF_AMOUNT_H
#define MP_BPF_AMOUNT_H

#include <linux/types.h>

#define MP_AMOUNT_MEAN_MAX (1ull << 40)

/*
 * Numbers are fixed point, with 31 bits after the point. A mean is shifted to 27 bits at most, so
 * that products fit.
 */
#define MP_AMOUNT_ONE (1ull << 31)
#define MP_AMOUNT_LN2 1488522236ull

static inline __u32 mp_amount_shift(__u64 mean)
{
	__u32 shift = 0, i;

	for (i = 0; i < 13; i++)
		shift += mean >> shift >= 1ull << 27;
	return shift;
}

/* ln v as a fixed-point number, for v from 1 to 2^32. */
static inline __u64 mp_amount_ln(__u64 v)
{
	__u64 m, z, z2, sum = 0;
	__u32 log2 = 0, i;

	for (i = 32; i; i /= 2)
		log2 += v >> log2 >> i ? i : 0;
	m = v << 31 >> log2;
	z = ((m - MP_AMOUNT_ONE) << 31) / (m + MP_AMOUNT_ONE);
	z2 = z * z >> 31;
	for (i = 25; i > 1; i -= 2) /* ln m = 2 (z + z^3 / 3 + z^5 / 5 ...) */
		sum = (MP_AMOUNT_ONE / i + (z2 * sum >> 31));
	sum = MP_AMOUNT_ONE + (z2 * sum >> 31);
	return log2 * MP_AMOUNT_LN2 + (2 * z * sum >> 31);
}

/* exp(-r), for a fixed-point r below 32. */
static inline __u64 mp_amount_exp(__u64 r)
{
	__u64 n = r / MP_AMOUNT_LN2, x = r - n * MP_AMOUNT_LN2, e = MP_AMOUNT_ONE;
	__u32 i;

	for (i = 13; i; i--) /* 1 - x (1 - x / 2 (1 - x / 3 ...)) */
		e = MP_AMOUNT_ONE - (x * e >> 31) / i;
	return e >> n;
}

/* The distance to the next sampling point, at least 1. All 32 bits of `random` are random. */
static inline __u64 mp_amount_distance(__u64 mean, __u32 random)
{
	__u32 shift = mp_amount_shift(mean);
	__u64 ln = 32 * MP_AMOUNT_LN2 - mp_amount_ln((__u64)random + 1);

	return ((mean >> shift) * ln >> 31 << shift) + 1;
}

/*
 * The amount that a sample of `amount` represents: amount / (1 - exp(-amount / mean)), rounded up
 * or down at random.
 */
static inline __u64 mp_amount_scaled(__u64 mean, __u64 amount, __u32 random)
{
	__u32 shift = mp_amount_shift(mean);
	__u64 t = mean >> shift, r, times_mean;

	if (amount >> shift >= 32 * t)
		return amount;
	r = (amount >> shift << 31) / t;
	if (r < MP_AMOUNT_ONE / 16) /* r / (1 - exp(-r)) = 1 + r / 2 + r^2 / 12 ... */
		times_mean = (MP_AMOUNT_ONE + r / 2 + (r * r >> 31) / 12) >> 4;
	else
		times_mean = (r << 27) / (MP_AMOUNT_ONE - mp_amount_exp(r));
	return (t * times_mean + (random >> 5)) >> 27 << shift;
}

#endif
