// SPDX-License-Identifier: GPL-2.0-only
#include "lib/natural.h"

static bool is_digit(struct mp_str s, size_t at)
{
	return at < s.len && (unsigned char)(s.p[at] - '0') <= 9;
}

/* The run of digits at `*at`, which is moved behind it; without leading zeros. */
static struct mp_str number(struct mp_str s, size_t *at)
{
	size_t start = *at;

	while (is_digit(s, *at))
		++*at;
	while (start < *at && s.p[start] == '0')
		start++;
	return (struct mp_str){ s.p + start, *at - start };
}

static int number_cmp(struct mp_str a, struct mp_str b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.p, b.p, a.len);
}

int mp_natural_cmp(struct mp_str a, struct mp_str b)
{
	size_t i = 0, k = 0;
	int cmp;

	while (i < a.len && k < b.len) {
		if (is_digit(a, i) && is_digit(b, k))
			cmp = number_cmp(number(a, &i), number(b, &k));
		else
			cmp = (unsigned char)a.p[i++] - (unsigned char)b.p[k++];
		if (cmp)
			return cmp;
	}
	if (i < a.len || k < b.len)
		return k < b.len ? -1 : 1;
	return mp_str_cmp(a, b);
}
