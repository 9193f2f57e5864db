/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a histogram; only loghist.c and serialize.c include this. Includes base, u256.
 *
 * A number is M * 2^(E - 52) with 2^52 <= M < 2^53, as in IEEE 754; E selects its part, and the
 * seven bits after the first one of M select its bucket. Numbers below 2^-1022 have a smaller M,
 * which is shifted until they have this form, too.
 */
#ifndef MP_STATS_INTERNAL_H
#define MP_STATS_INTERNAL_H

#include "lib/core/base.h"
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

struct mp_loghist_part {
	u128 sum;		/* sum of all M: below 2^53 * 2^64 */
	struct mp_u256 squares; /* sum of all M * M: below 2^106 * 2^64 */
	/* all M combined by OR: its lowest bit that is set divides all of them */
	uint64_t bits;
	uint64_t *chunks[CHUNKS];
};

static inline uint64_t mp_loghist_count_at(const struct mp_loghist_part *part, unsigned bucket)
{
	const uint64_t *chunk = part->chunks[bucket / CHUNK];

	return chunk ? chunk[bucket % CHUNK] : 0;
}

/* The address of a count, allocated if necessary. */
static inline uint64_t *mp_loghist_count_make(struct mp_loghist_part *part, unsigned bucket)
{
	uint64_t **chunk = &part->chunks[bucket / CHUNK];

	if (!*chunk)
		*chunk = mp_zalloc(CHUNK * sizeof(uint64_t));
	return *chunk + bucket % CHUNK;
}

#endif
