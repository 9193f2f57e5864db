// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/named.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The bytes of decimal and hexadecimal numbers, and of lists of them. */
static const bool in_number[256] = {
	['0' ... '9'] = true, ['a' ... 'f'] = true, ['x'] = true, [','] = true, ['-'] = true,
};

size_t mp_named_paren(struct mp_str text)
{
	size_t i = text.len && *text.p == '-';

	if (text.len < i + 2 || text.p[text.len - 1] != ')' || !is_digit(text.p[i]))
		return 0;
	while (in_number[(unsigned char)text.p[i]]) /* ends at the last byte at the latest */
		i++;
	return text.p[i] == '(' ? i : 0;
}
