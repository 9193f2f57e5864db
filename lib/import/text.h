/* SPDX-License-Identifier: GPL-2.0-only */
/* Pieces of text that the formats have in common. Includes str only. */
#ifndef MP_IMPORT_TEXT_H
#define MP_IMPORT_TEXT_H

#include "lib/core/str.h"

enum {
	MP_COMM_MAX = 15,   /* most bytes of a thread's name */
	MP_COMM_WIDTH = 16, /* width of a padded name */
};

static inline bool mp_import_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

static inline bool mp_import_hex_digit(char c)
{
	return mp_import_digit(c) || (c >= 'a' && c <= 'f');
}

static inline bool mp_import_letter(char c)
{
	return ((unsigned char)c | 0x20) >= 'a' && ((unsigned char)c | 0x20) <= 'z';
}

/* The length of s without the blanks at its end. */
static inline size_t mp_import_without_blanks(struct mp_str s)
{
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s.len;
}

static inline struct mp_str mp_import_trim(struct mp_str s)
{
	while (s.len && *s.p == ' ')
		s = mp_str_skip(s, 1);
	s.len = mp_import_without_blanks(s);
	return s;
}

/* Where `text` begins in s; s.len if it does not occur. */
size_t mp_import_find(struct mp_str s, const char *text);

/* How many digits s begins with. */
static inline size_t mp_import_digits(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && mp_import_digit(s.p[n]))
		n++;
	return n;
}

/* Where the digits that end at `end` begin; `end` if there are none. */
static inline size_t mp_import_digits_start(struct mp_str s, size_t end)
{
	while (end && mp_import_digit(s.p[end - 1]))
		end--;
	return end;
}

/*
 * Removes "[CPU]", whose bracket closes at `end` - 1, and all that follows it from s. Returns
 * false, and leaves s as it is, if no such column ends there.
 */
bool mp_import_cut_cpu(struct mp_str *s, size_t end, struct mp_str *cpu);

/*
 * Parses a time "S.FRACTION" with at most 9 digits after the point to ns. Returns 0, or -1 if it is
 * out of range.
 */
int mp_import_time(struct mp_str text, uint64_t *time_ns);

#endif
