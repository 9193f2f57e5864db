// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/natural.h"

#include <stdlib.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The run of digits in `s` at `*at`, without its leading zeros; moves past it. */
static struct mp_str next_digits(struct mp_str s, size_t *at)
{
	size_t start;

	while (*at < s.len && s.p[*at] == '0')
		++*at;
	start = *at;
	while (*at < s.len && is_digit(s.p[*at]))
		++*at;
	return (struct mp_str){ s.p + start, *at - start };
}

static int compare_digits(struct mp_str a, struct mp_str b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.p, b.p, a.len);
}

static int compare(struct mp_str a, struct mp_str b)
{
	size_t i = 0, j = 0;

	while (i < a.len && j < b.len) {
		int order;

		if (is_digit(a.p[i]) && is_digit(b.p[j])) {
			struct mp_str x = next_digits(a, &i), y = next_digits(b, &j);

			order = compare_digits(x, y);
		} else {
			order = (unsigned char)a.p[i++] - (unsigned char)b.p[j++];
		}
		if (order)
			return order;
	}
	return (i < a.len) - (j < b.len);
}

/* Whether a text is a negative number such as "-12": a sign and digits, nothing else. */
static bool is_negative(struct mp_str s)
{
	size_t i;

	if (s.len < 2 || s.p[0] != '-')
		return false;
	for (i = 1; i < s.len; i++)
		if (!is_digit(s.p[i]))
			return false;
	return true;
}

int mp_natural_cmp(struct mp_str a, struct mp_str b)
{
	bool minus_a = is_negative(a), minus_b = is_negative(b);
	int order;

	if (minus_a != minus_b)
		return minus_a ? -1 : 1;
	order = minus_a ? compare(b, a) : compare(a, b);
	return order ? order : mp_str_cmp(a, b);
}

static int compare_slices(const void *a, const void *b)
{
	return mp_natural_cmp(*(const struct mp_str *)a, *(const struct mp_str *)b);
}

void mp_natural_sort(struct mp_str *names, size_t n)
{
	if (n)
		qsort(names, n, sizeof(*names), compare_slices);
}
