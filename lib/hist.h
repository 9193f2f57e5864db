/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distribution of many numbers in constant memory. Buckets are log-linear, as in HdrHistogram
 * (http://hdrhistogram.org): each power of two is cut into 128 equal parts, so that a percentile is
 * off by less than 1 % of the value (0.4 %), and whole numbers up to 256 are exact. Memory is
 * allocated for the powers of two that occur. Two histograms add up to that of all their numbers.
 * Includes str only.
 */
#ifndef MP_HIST_H
#define MP_HIST_H

#include "lib/str.h"

/* Zeroed memory is a valid empty one. */
struct mp_hist {
	uint64_t n;	 /* sum of the weights */
	double min, max; /* exact; valid if n > 0 */
	double sum, sum_squares;
	struct mp_hist_part *positive, *negative;
	uint64_t zero;
};

void mp_hist_release(struct mp_hist *h);

/* `weight` numbers of this value, finite. */
void mp_hist_add(struct mp_hist *h, double value, uint64_t weight);
void mp_hist_merge(struct mp_hist *to, const struct mp_hist *from);

double mp_hist_mean(const struct mp_hist *h);
double mp_hist_stddev(const struct mp_hist *h); /* of the population */

/*
 * The value below or at which `share` (0 to 1) of the numbers are: nearest rank, never outside min
 * and max.
 */
double mp_hist_percentile(const struct mp_hist *h, double share);

/* How many numbers are in [low, high); exact where both are edges of buckets, as powers of two are. */
uint64_t mp_hist_count(const struct mp_hist *h, double low, double high);

#endif
