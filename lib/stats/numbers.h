/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a histogram. Up to 128 distinct ones are held as they are, in 12 bytes each, and a
 * single one in the structure. More are counted in buckets, which are log-linear as in HdrHistogram
 * (http://hdrhistogram.org): each power of two has 128 equal parts. Memory is allocated for the
 * buckets in use: 1.3 KiB for each power of two that is full (22 KiB for all latencies from 1 us to
 * 1 s). Whether there are buckets is not visible in any result.
 *
 * Numbers are doubles: whole numbers are exact up to 2^53. Includes str only.
 */
#ifndef MP_STATS_NUMBERS_H
#define MP_STATS_NUMBERS_H

#include "lib/core/str.h"

struct mp_loghist_parts;

/* Zeroed memory is a valid empty histogram. */
struct mp_loghist {
	uint64_t n;	 /* sum of the weights */
	double min, max; /* exact; valid if n > 0 */
	union {
		double *list;			/* distinct numbers; their counts are after them */
		struct mp_loghist_parts *parts; /* if `full` is set */
	};
	uint8_t listed; /* how many numbers the list holds; 0: all numbers are `min` */
	uint8_t room;	/* how many it has room for */
	bool full;
	bool fraction; /* some numbers are not whole */
	bool overflow; /* n would have exceeded 64 bits: later numbers were not added */
};

/* Frees the memory; the histogram is valid and empty afterwards. */
void mp_loghist_release(struct mp_loghist *h);

/* Adds `weight` numbers of this value, which is finite. */
void mp_loghist_add(struct mp_loghist *h, double value, uint64_t weight);
void mp_loghist_merge(struct mp_loghist *to, const struct mp_loghist *from);

/* The count of numbers of one sign with 2^exponent <= |number| < 2^(exponent + 1). Exact. */
uint64_t mp_loghist_log2(const struct mp_loghist *h, int exponent, bool negative);

/*
 * The exponents of the least and the greatest magnitude of one sign; false if there are no numbers
 * of this sign.
 */
bool mp_loghist_span(const struct mp_loghist *h, bool negative, int *low, int *high);

/* How many numbers are 0. */
uint64_t mp_loghist_zeros(const struct mp_loghist *h);

/* The exponent of the power of two at or below |value|, which is finite and not 0. */
int mp_loghist_exponent(double value);

#endif
