/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unsigned whole numbers of 256 bits, for sums of squares that must not be rounded. They wrap.
 * Includes base only.
 */
#ifndef MP_WIDE_H
#define MP_WIDE_H

#include "lib/core/base.h"

struct mp_wide {
	uint64_t v[4]; /* least part first */
};

void mp_wide_add(struct mp_wide *a, const struct mp_wide *b);
struct mp_wide mp_wide_sub(const struct mp_wide *a, const struct mp_wide *b);
bool mp_wide_less(const struct mp_wide *a, const struct mp_wide *b);
struct mp_wide mp_wide_times(const struct mp_wide *a, uint64_t factor);
struct mp_wide mp_wide_of(unsigned __int128 v);
struct mp_wide mp_wide_square(unsigned __int128 v);
long double mp_wide_to_real(const struct mp_wide *a);

#endif
