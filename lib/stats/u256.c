// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/u256.h"

void mp_wide_add(struct mp_wide *a, const struct mp_wide *b)
{
	unsigned __int128 carry = 0;
	int i;

	for (i = 0; i < 4; i++) {
		carry += (unsigned __int128)a->v[i] + b->v[i];
		a->v[i] = (uint64_t)carry;
		carry >>= 64;
	}
}

struct mp_wide mp_wide_sub(const struct mp_wide *a, const struct mp_wide *b)
{
	struct mp_wide d;
	bool borrow = false;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t v;
		bool first = __builtin_sub_overflow(a->v[i], b->v[i], &v);

		borrow = __builtin_sub_overflow(v, (uint64_t)borrow, &d.v[i]) | first;
	}
	return d;
}

bool mp_wide_less(const struct mp_wide *a, const struct mp_wide *b)
{
	int i = 3;

	while (i > 0 && a->v[i] == b->v[i])
		i--;
	return a->v[i] < b->v[i];
}

struct mp_wide mp_wide_times(const struct mp_wide *a, uint64_t factor)
{
	struct mp_wide product;
	unsigned __int128 carry = 0;
	int i;

	for (i = 0; i < 4; i++) {
		carry += (unsigned __int128)a->v[i] * factor;
		product.v[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return product;
}

struct mp_wide mp_wide_of(unsigned __int128 v)
{
	return (struct mp_wide){ { (uint64_t)v, (uint64_t)(v >> 64), 0, 0 } };
}

struct mp_wide mp_wide_square(unsigned __int128 v)
{
	struct mp_wide factor = mp_wide_of(v), low = mp_wide_times(&factor, (uint64_t)v),
		       high = mp_wide_times(&factor, (uint64_t)(v >> 64));

	high = (struct mp_wide){ { 0, high.v[0], high.v[1], high.v[2] } };
	mp_wide_add(&low, &high);
	return low;
}

long double mp_wide_to_real(const struct mp_wide *a)
{
	return ((a->v[3] * 0x1p64L + a->v[2]) * 0x1p64L + a->v[1]) * 0x1p64L + a->v[0];
}
