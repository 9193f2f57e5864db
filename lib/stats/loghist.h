/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distribution of many numbers in constant memory: what its numbers say (numbers.h holds them),
 * and its texts. The error of a percentile is below 1 % of the value (0.4 %), and whole numbers up
 * to 256 are exact.
 *
 * Sums are exact, as integers for each power of two. So all results depend on the numbers alone,
 * not on their order, and a merged histogram equals the histogram of all numbers to the last bit.
 *
 * Includes numbers only.
 */
#ifndef MP_STATS_LOGHIST_H
#define MP_STATS_LOGHIST_H

#include "lib/stats/numbers.h"

/* The sum of all numbers; 0 if there are none. */
double mp_loghist_sum(const struct mp_loghist *h);
double mp_loghist_mean(const struct mp_loghist *h);
double mp_loghist_stddev(const struct mp_loghist *h); /* the standard deviation of the population */

/*
 * The value below or at which `share` (0 to 1) of the numbers are: nearest rank, never outside min
 * and max; 0 if it is empty.
 */
double mp_loghist_percentile(const struct mp_loghist *h, double share);

/*
 * Writes the sum in decimal: all digits if all numbers are whole, else as many as give the same
 * double back when read. Room for MP_LOGHIST_SUM_MAX bytes, with a NUL; returns the length.
 */
enum { MP_LOGHIST_SUM_MAX = 64 };

size_t mp_loghist_put_sum(char *to, const struct mp_loghist *h);

/*
 * Writes any number with as few digits as read back as the same double; room and result as for
 * mp_loghist_put_sum().
 */
size_t mp_loghist_put_number(char *to, double v);

/*
 * Writes a histogram as texts, one for each call: ASCII without blanks, less than 8 KiB each.
 * `*cursor` begins as 0. Appends to `to` and returns true, or false at the end. mp_loghist_read()
 * adds such a text to a histogram; all texts, in any order, make the histogram again. It returns 0,
 * or -1 if the text is invalid; then the histogram is unchanged.
 *
 *	MIN:MAX:w:z:COUNT			zeros
 *	MIN:MAX:w:p10:42:SUM:SQUARES:3*7,5*1	1024 to 2047: COUNT in each of 128 buckets
 *
 * MIN and MAX are those of the whole histogram; w: all numbers are whole, f: some are not; p or n:
 * sign, then the exponent of 2. As multiples of 2^(exponent - 52), the numbers are all divisible by
 * 2^42; SUM and SQUARES add them up, in hexadecimal.
 */
bool mp_loghist_write(const struct mp_loghist *h, int *cursor, struct mp_buf *to);
int mp_loghist_read(struct mp_loghist *h, struct mp_str text);

#endif
