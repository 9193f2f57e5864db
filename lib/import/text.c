// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/text.h"

#include "lib/core/clock.h"

size_t mp_import_find(struct mp_str s, const char *text)
{
	const char *at = s.len ? memmem(s.p, s.len, text, strlen(text)) : NULL;

	return at ? (size_t)(at - s.p) : s.len;
}

bool mp_import_cut_cpu(struct mp_str *s, size_t end, struct mp_str *cpu)
{
	size_t n;

	if (!end || s->p[end - 1] != ']')
		return false;
	n = mp_import_digits_start(*s, end - 1);
	if (n == end - 1 || end - n > 8 || !n || s->p[n - 1] != '[')
		return false;
	*cpu = (struct mp_str){ s->p + n, end - 1 - n };
	s->len = n - 1;
	return true;
}

int mp_import_time(struct mp_str text, uint64_t *time_ns)
{
	const char *point = memchr(text.p, '.', text.len);
	uint64_t s, fraction;
	size_t digits;

	if (!point)
		return -1;
	digits = text.p + text.len - point - 1;
	if (mp_num_u64((struct mp_str){ text.p, point - text.p }, &s) < 0 ||
	    mp_num_u64((struct mp_str){ point + 1, digits }, &fraction) < 0 || digits > 9 ||
	    s > INT64_MAX / MP_NS_PER_SEC - 1)
		return -1;
	for (; digits < 9; digits++)
		fraction *= 10;
	*time_ns = s * MP_NS_PER_SEC + fraction;
	return 0;
}
