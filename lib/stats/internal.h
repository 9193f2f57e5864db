/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a histogram is made of: numbers.c holds it, loghist.c computes with it, serialize.c writes
 * it; no other file includes this. Includes numbers, u256.
 *
 * A number is M * 2^(E - 52) with 2^52 <= M < 2^53, as in IEEE 754; E selects its part, and the
 * seven bits after the first one of M select its bucket. Numbers below 2^-1022 have a smaller M,
 * which is shifted until they have this form, too.
 */
#ifndef MP_STATS_INTERNAL_H
#define MP_STATS_INTERNAL_H

#include "lib/stats/numbers.h"
#include "lib/stats/u256.h"

typedef unsigned __int128 u128;

enum {
	SUB_BITS = 7,
	BUCKETS = 1 << SUB_BITS,
	CHUNK = 16, /* counts that are allocated together */
	CHUNKS = BUCKETS / CHUNK,
	MANTISSA_BITS = 52,
	SUB_SHIFT = MANTISSA_BITS - SUB_BITS,
	EXPONENT_MIN = -1074,
	EXPONENT_MAX = 1023,
};

#define MANTISSA_ONE (1ull << MANTISSA_BITS)

/* What is known of the numbers with one sign and one exponent beside their buckets. */
struct mp_loghist_sums {
	uint64_t n;
	u128 sum;		/* sum of all M: below 2^53 * 2^64 */
	struct mp_u256 squares; /* sum of all M * M: below 2^106 * 2^64 */
	uint64_t bits;		/* all M combined by OR: its lowest bit that is set divides all */
};

struct mp_loghist_part {
	struct mp_loghist_sums sums;
	uint64_t *chunks[CHUNKS]; /* the counts of the buckets; NULL: they are 0 */
};

/* Numbers of one sign, by power of two. */
struct mp_loghist_side {
	struct mp_loghist_part **parts; /* parts by exponent; NULL: no number has this exponent */
	int first;			/* exponent of parts[0] */
	int n;
};

struct mp_loghist_parts {
	uint64_t zero;			/* how many numbers are 0 */
	struct mp_loghist_side side[2]; /* the positive and the negative numbers */
};

/*
 * Adds `weight` numbers of this value, and extends the range to `min` and `max`. Where they differ,
 * they are those of a histogram that the numbers are a part of.
 */
void mp_loghist_put(struct mp_loghist *h, double value, uint64_t weight, double min, double max,
		    bool fraction);

/*
 * The least exponent from `from` on that numbers of this sign have. Returns false if there is none.
 */
bool mp_loghist_next(const struct mp_loghist *h, bool negative, int from, int *exponent);

/* What is known of the numbers with this sign and exponent: all 0 if there are none. */
void mp_loghist_sums(const struct mp_loghist *h, int exponent, bool negative,
		     struct mp_loghist_sums *sums);

/* How many of them are in each of the BUCKETS buckets. */
void mp_loghist_counts(const struct mp_loghist *h, int exponent, bool negative, uint64_t *counts);

#endif
