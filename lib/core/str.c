// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mp_str mp_str_trim(struct mp_str s)
{
	while (s.len && isspace((unsigned char)s.p[0]))
		s = mp_str_skip(s, 1);
	while (s.len && isspace((unsigned char)s.p[s.len - 1]))
		s.len--;
	return s;
}

int32_t mp_str_utf8(struct mp_str s, size_t *len)
{
	unsigned char c = s.p[0];
	size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4, i;
	int32_t v = n == 1 ? c : c & (0x7f >> n);

	*len = 1;
	if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || n > s.len)
		return -1;
	for (i = 1; i < n; i++) {
		if ((s.p[i] & 0xc0) != 0x80)
			return -1;
		v = v << 6 | (s.p[i] & 0x3f);
	}
	if ((n == 3 && v < 0x800) || (n == 4 && (v < 0x10000 || v > 0x10ffff)) ||
	    (v >= 0xd800 && v < 0xe000))
		return -1;
	*len = n;
	return v;
}

int mp_str_cmp(struct mp_str a, struct mp_str b)
{
	size_t len = MP_MIN(a.len, b.len);
	int d = len ? memcmp(a.p, b.p, len) : 0;

	if (d)
		return d;
	return a.len < b.len ? -1 : a.len > b.len;
}

void mp_buf_reserve(struct mp_buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;

	if (b->cap - b->len >= more && b->p)
		return;
	while (cap - b->len < more)
		cap *= 2;
	b->p = mp_realloc(b->p, cap);
	b->cap = cap;
}

void mp_buf_release(struct mp_buf *b)
{
	free(b->p);
	*b = (struct mp_buf){ NULL, 0, 0 };
}

void mp_buf_printf(struct mp_buf *b, const char *fmt, ...)
{
	size_t room;
	va_list ap;
	int n;

	mp_buf_reserve(b, 128);
	for (;;) {
		room = b->cap - b->len;
		va_start(ap, fmt);
		n = vsnprintf(b->p + b->len, room, fmt, ap);
		va_end(ap);
		if ((size_t)n < room)
			break;
		mp_buf_reserve(b, n + 1);
	}
	b->len += n;
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

char *mp_put_u64(char *to, uint64_t v)
{
	char text[20], *p = text + sizeof(text);

	while (v >= 100) {
		p -= 2;
		memcpy(p, digit_pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, digit_pairs + 2 * v, 2);
	} else {
		*--p = '0' + v;
	}
	memcpy(to, p, text + sizeof(text) - p);
	return to + (text + sizeof(text) - p);
}

char *mp_put_i64(char *to, int64_t v)
{
	if (v >= 0)
		return mp_put_u64(to, v);
	*to++ = '-';
	return mp_put_u64(to, -(uint64_t)v);
}

char *mp_put_hex(char *to, uint64_t v)
{
	int shift = v ? 60 - __builtin_clzll(v) / 4 * 4 : 0;

	*to++ = '0';
	*to++ = 'x';
	for (; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[v >> shift & 15];
	return to;
}

/*
 * Parses eight digits at once; false if one of the bytes is not a digit. Little-endian; the method
 * is that of https://lemire.me/blog/2022/01/21/swar-explained-parsing-eight-digits/
 */
static inline bool eight_digits(const char *p, uint64_t *v)
{
	uint64_t x;

	memcpy(&x, p, 8);
	if (((x & 0xf0f0f0f0f0f0f0f0) | ((x + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) !=
	    0x3333333333333333)
		return false;
	x = (x & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
	x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
	*v = (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
	return true;
}

int mp_num_u64(struct mp_str s, uint64_t *v)
{
	const char *p = s.p, *end = s.p + s.len;
	uint64_t n = 0, eight;

	if (s.len == 0 || s.len > 20)
		return -1;
	while (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && end - p >= 8 && p - s.p < 16) {
		if (!eight_digits(p, &eight))
			return -1;
		n = n * 100000000 + eight;
		p += 8;
	}
	for (; p < end; p++) {
		unsigned d = (unsigned char)*p - '0';

		if (d > 9 || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, d, &n))
			return -1;
	}
	*v = n;
	return 0;
}

int mp_num_i64(struct mp_str s, int64_t *v)
{
	bool negative = s.len && *s.p == '-';
	uint64_t n;

	if (s.len && (*s.p == '-' || *s.p == '+')) {
		s.p++;
		s.len--;
	}
	if (mp_num_u64(s, &n) < 0 || n > (uint64_t)INT64_MAX + negative)
		return -1;
	*v = negative ? (int64_t)-n : (int64_t)n;
	return 0;
}

int mp_num_any(struct mp_str s, int64_t *v)
{
	uint64_t n = 0;
	size_t i;

	if (s.len < 3 || s.p[0] != '0' || s.p[1] != 'x')
		return mp_num_i64(s, v);
	if (s.len > 18)
		return -1;
	for (i = 2; i < s.len; i++) {
		unsigned char c = s.p[i], lower = c | 0x20;

		if (c >= '0' && c <= '9')
			n = n << 4 | (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			n = n << 4 | (lower - 'a' + 10);
		else
			return -1;
	}
	*v = (int64_t)n;
	return 0;
}

/*
 * Parses the usual number quickly: perhaps a sign, and up to 15 digits with perhaps a point. Digits
 * and the power of ten are exact as doubles, so their quotient is rounded once, as strtod() does it
 * (Clinger, "How to read floating point numbers accurately", 1990).
 */
static bool short_decimal(struct mp_str s, double *v)
{
	static const double powers[] = { 1,   1e1, 1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,
					 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	size_t i = s.len && (*s.p == '-' || *s.p == '+'), point = s.len, digits = 0;
	uint64_t n = 0;

	if (s.len - i > 16)
		return false;
	for (; i < s.len; i++) {
		unsigned d = (unsigned char)s.p[i] - '0';

		if (d <= 9) {
			n = n * 10 + d;
			digits++;
		} else if (s.p[i] == '.' && point == s.len) {
			point = i;
		} else {
			return false;
		}
	}
	if (digits == 0 || digits > 15)
		return false;
	*v = (double)n;
	if (point < s.len)
		*v /= powers[s.len - 1 - point];
	if (*s.p == '-')
		*v = -*v;
	return true;
}

int mp_num_decimal(struct mp_str s, double *v)
{
	char text[64], *end;
	size_t i;

	if (short_decimal(s, v))
		return 0;
	if (s.len == 0 || s.len >= sizeof(text))
		return -1;
	for (i = 0; i < s.len; i++) /* strtod takes "inf", "nan", "0x1p3" and blanks too */
		if (!memchr("0123456789+-.eE", s.p[i], 15))
			return -1;
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	*v = strtod(text, &end);
	return *end == '\0' && isfinite(*v) ? 0 : -1;
}

int mp_num_range(const char *text, uint64_t min, uint64_t max, uint64_t *v)
{
	if (mp_num_u64(mp_str(text), v) < 0 || *v < min || *v > max)
		return -1;
	return 0;
}

struct unit {
	const char *name;
	double factor;
};

static int with_unit(const char *text, const struct unit *units, double bare, uint64_t *v)
{
	size_t len = strspn(text, "0123456789.");
	double n, factor = bare;

	if (mp_num_decimal((struct mp_str){ text, len }, &n) < 0)
		return -1;
	if (text[len]) {
		while (units->name && strcmp(units->name, text + len) != 0)
			units++;
		if (!units->name)
			return -1;
		factor = units->factor;
	}
	n = n * factor + 0.5;
	if (n >= 9223372036854775807.0)
		return -1;
	*v = (uint64_t)n;
	return 0;
}

int mp_num_duration(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },   { "us", 1e3 },	{ "ms", 1e6 }, { "s", 1e9 },
		{ "m", 60e9 }, { "h", 3600e9 }, { NULL, 0 },
	};

	return with_unit(text, units, 1e9, ns);
}

int mp_num_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "K", 1024 },	 { "k", 1024 },	     { "M", 1 << 20 },	 { "G", 1 << 30 },
		{ "KiB", 1024 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { NULL, 0 },
	};

	return with_unit(text, units, 1, bytes);
}
