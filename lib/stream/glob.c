// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/glob.h"

#include "lib/stream/esc.h"

void mp_glob_init(struct mp_glob *g, struct mp_str pattern)
{
	size_t first = 0, last = pattern.len, i;

	*g = (struct mp_glob){ .pattern = pattern, .shape = MP_GLOB_GENERAL };
	while (first < last && pattern.p[first] == '*')
		first++;
	while (last > first && pattern.p[last - 1] == '*')
		last--;
	for (i = first; i < last; i++)
		if (memchr("*?[\\", pattern.p[i], 4))
			return;
	g->literal = (struct mp_str){ pattern.p + first, last - first };
	if (first && (last < pattern.len || first == last))
		g->shape = MP_GLOB_INFIX;
	else if (first)
		g->shape = MP_GLOB_SUFFIX;
	else
		g->shape = last < pattern.len ? MP_GLOB_PREFIX : MP_GLOB_EXACT;
}

/*
 * Whether the class that begins at `*pat`, after its [, has the byte `c`: 1 or 0 with `*pat` moved
 * past its ], or -1 if it has no ].
 */
static int match_class(const char **pat, const char *end, unsigned char c)
{
	const char *p = *pat;
	bool inverted = p < end && *p == '!', match = false;
	unsigned char low, high;

	p += inverted;
	do {
		if (p == end)
			return -1;
		low = high = *p++;
		if (p + 1 < end && p[0] == '-' && p[1] != ']') {
			high = p[1];
			p += 2;
		}
		match |= low <= c && c <= high;
	} while (p < end && *p != ']');
	if (p == end)
		return -1;
	*pat = p + 1;
	return match != inverted;
}

/* Whether the element of the pattern at `*pat`, not a *, matches the byte; moves past it. */
static bool match_one(const char **pat, const char *end, unsigned char c)
{
	char d = *(*pat)++;
	int in_class;

	if (d == '?')
		return true;
	if (d == '[') {
		in_class = match_class(pat, end, c);
		if (in_class >= 0)
			return in_class;
	}
	if (d == '\\' && *pat < end)
		d = *(*pat)++;
	return (unsigned char)d == c;
}

/* Decodes the next byte of the text into `*c`; returns how many bytes of the text represent it. */
static size_t next_byte(const char *p, const char *end, bool escaped, char *c)
{
	*c = *p;
	return escaped ? mp_esc_next(p, end, c) : 1;
}

static bool match_general(struct mp_str pattern, struct mp_str text, bool escaped)
{
	const char *pat = pattern.p, *pat_end = pat + pattern.len;
	const char *p = text.p, *end = p + text.len;
	const char *back_pat = NULL, *back = NULL;
	char c;

	while (p < end) {
		size_t n = next_byte(p, end, escaped, &c);

		if (pat < pat_end && *pat == '*') {
			back_pat = ++pat;
			back = p;
			continue;
		}
		if (pat < pat_end && match_one(&pat, pat_end, c)) {
			p += n;
			continue;
		}
		if (!back_pat)
			return false;
		/*
		 * only the latest * needs to match one more byte: an earlier one could match no
		 * more than that
		 */
		pat = back_pat;
		back += next_byte(back, end, escaped, &c);
		p = back;
	}
	while (pat < pat_end && *pat == '*')
		pat++;
	return pat == pat_end;
}

bool mp_glob_match(const struct mp_glob *g, struct mp_str escaped)
{
	struct mp_str want = g->literal;

	if (g->shape == MP_GLOB_GENERAL || memchr(escaped.p, '\\', escaped.len))
		return match_general(g->pattern, escaped, true);
	if (escaped.len < want.len)
		return false;
	switch (g->shape) {
	case MP_GLOB_PREFIX:
		return memcmp(escaped.p, want.p, want.len) == 0;
	case MP_GLOB_SUFFIX:
		return memcmp(escaped.p + escaped.len - want.len, want.p, want.len) == 0;
	case MP_GLOB_INFIX:
		return memmem(escaped.p, escaped.len, want.p, want.len);
	case MP_GLOB_EXACT:
	case MP_GLOB_GENERAL:
		break;
	}
	return mp_str_eq(escaped, want);
}

bool mp_glob_plain(const char *pattern, const char *text)
{
	return match_general(mp_str(pattern), mp_str(text), false);
}
