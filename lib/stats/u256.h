/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unsigned integers of 256 bits, for exact sums of squares. They wrap around.
 * Includes base only.
 */
#ifndef MP_STATS_U256_H
#define MP_STATS_U256_H

#include "lib/core/base.h"

struct mp_u256 {
	uint64_t v[4]; /* least part first */
};

void mp_u256_add(struct mp_u256 *a, const struct mp_u256 *b);
struct mp_u256 mp_u256_sub(const struct mp_u256 *a, const struct mp_u256 *b);
bool mp_u256_less(const struct mp_u256 *a, const struct mp_u256 *b);
struct mp_u256 mp_u256_times(const struct mp_u256 *a, uint64_t factor);
struct mp_u256 mp_u256_of(unsigned __int128 v);
struct mp_u256 mp_u256_square(unsigned __int128 v);
long double mp_u256_to_real(const struct mp_u256 *a);

#endif
