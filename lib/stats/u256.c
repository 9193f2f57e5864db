// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/u256.h"

void mp_u256_add(struct mp_u256 *a, const struct mp_u256 *b)
{
	unsigned __int128 carry = 0;
	int i;

	for (i = 0; i < 4; i++) {
		carry += (unsigned __int128)a->v[i] + b->v[i];
		a->v[i] = (uint64_t)carry;
		carry >>= 64;
	}
}

struct mp_u256 mp_u256_sub(const struct mp_u256 *a, const struct mp_u256 *b)
{
	struct mp_u256 d;
	bool borrow = false;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t v;
		bool first = __builtin_sub_overflow(a->v[i], b->v[i], &v);

		borrow = __builtin_sub_overflow(v, (uint64_t)borrow, &d.v[i]) | first;
	}
	return d;
}

bool mp_u256_less(const struct mp_u256 *a, const struct mp_u256 *b)
{
	int i = 3;

	while (i > 0 && a->v[i] == b->v[i])
		i--;
	return a->v[i] < b->v[i];
}

struct mp_u256 mp_u256_times(const struct mp_u256 *a, uint64_t factor)
{
	struct mp_u256 product;
	unsigned __int128 carry = 0;
	int i;

	for (i = 0; i < 4; i++) {
		carry += (unsigned __int128)a->v[i] * factor;
		product.v[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return product;
}

struct mp_u256 mp_u256_of(unsigned __int128 v)
{
	return (struct mp_u256){ { (uint64_t)v, (uint64_t)(v >> 64), 0, 0 } };
}

struct mp_u256 mp_u256_square(unsigned __int128 v)
{
	struct mp_u256 factor = mp_u256_of(v), low = mp_u256_times(&factor, (uint64_t)v),
		       high = mp_u256_times(&factor, (uint64_t)(v >> 64));

	high = (struct mp_u256){ { 0, high.v[0], high.v[1], high.v[2] } };
	mp_u256_add(&low, &high);
	return low;
}

long double mp_u256_to_real(const struct mp_u256 *a)
{
	return ((a->v[3] * 0x1p64L + a->v[2]) * 0x1p64L + a->v[1]) * 0x1p64L + a->v[0];
}
