// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double two_to_64 = 18446744073709551616.0;

static struct mp_str skip(struct mp_str s, size_t n)
{
	return (struct mp_str){ s.p + n, s.len - n };
}

static int digits_of_base(struct mp_str s, unsigned base, uint64_t *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < s.len; i++) {
		unsigned char c = s.p[i];
		unsigned digit = 16;

		if (isdigit(c))
			digit = c - '0';
		else if (isxdigit(c))
			digit = (c | 0x20) - 'a' + 10;
		if (digit >= base || __builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, digit, v))
			return -1;
	}
	return s.len ? 0 : -1;
}

static bool is_hex(struct mp_str s)
{
	return s.len > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X');
}

/* Whether the text is a 0 followed by digits; 8 and 9 count as digits, too. */
static bool is_octal(struct mp_str s)
{
	size_t i = 0;

	while (i < s.len && isdigit((unsigned char)s.p[i]))
		i++;
	return s.len > 1 && *s.p == '0' && i == s.len;
}

struct mp_number mp_number_of(int64_t v)
{
	return (struct mp_number){ true, v < 0, v < 0 ? -(uint64_t)v : (uint64_t)v, 0 };
}

int mp_number_parse(struct mp_number *n, struct mp_str text)
{
	struct mp_str digits = text;

	*n = (struct mp_number){ .whole = true };
	if (digits.len && (*digits.p == '-' || *digits.p == '+')) {
		n->negative = *digits.p == '-';
		digits = skip(digits, 1);
	}
	if (mp_num_u64(digits, &n->magnitude) == 0) {
		n->negative = n->negative && n->magnitude;
		return 0;
	}
	if (is_hex(text))
		return digits_of_base(skip(text, 2), 16, &n->magnitude);
	n->whole = false;
	return mp_num_decimal(text, &n->real);
}

/* Removes a unit of time from the end. Returns its length in ns, or 1 if there is none. */
static uint64_t cut_unit(struct mp_str *text)
{
	static const struct {
		struct mp_str name;
		uint64_t ns;
	} units[] = {
		{ { "ns", 2 }, 1 },
		{ { "us", 2 }, 1000 },
		{ { "ms", 2 }, 1000000 },
		{ { "s", 1 }, 1000000000 },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(units); i++) {
		size_t len = units[i].name.len;

		if (text->len <= len ||
		    memcmp(text->p + text->len - len, units[i].name.p, len) != 0)
			continue;
		text->len -= len;
		return units[i].ns;
	}
	return 1;
}

/* Converts a double, to a whole number if that is exact. */
static struct mp_number of_real(double v)
{
	if (fabs(v) < 0x1p53 && v == nearbyint(v))
		return mp_number_of((int64_t)v);
	return (struct mp_number){ .real = v };
}

static int scale(struct mp_number *n, uint64_t by)
{
	if (by == 1)
		return 0;
	if (n->whole && !__builtin_mul_overflow(n->magnitude, by, &n->magnitude))
		return 0;
	if (n->whole)
		return -1;
	*n = of_real(n->real * (double)by);
	return n->whole || isfinite(n->real) ? 0 : -1;
}

int mp_number_constant(struct mp_number *n, struct mp_str text)
{
	bool negative = text.len && *text.p == '-';
	struct mp_str digits = skip(text, negative);
	uint64_t unit;

	*n = (struct mp_number){ .whole = true, .negative = negative };
	if (is_hex(digits)) {
		if (digits_of_base(skip(digits, 2), 16, &n->magnitude) < 0)
			return -1;
	} else if (is_octal(digits)) {
		if (digits_of_base(digits, 8, &n->magnitude) < 0)
			return -1;
	} else {
		unit = cut_unit(&text);
		if (mp_number_parse(n, text) < 0)
			return -1;
		return scale(n, unit);
	}
	n->negative = negative && n->magnitude;
	return 0;
}

static int cmp_whole(const struct mp_number *a, const struct mp_number *b)
{
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->magnitude == b->magnitude)
		return 0;
	return (a->magnitude < b->magnitude) != a->negative ? -1 : 1;
}

/* Compares without conversion, which is not exact: 2^53 + 1 is not a double. */
static int cmp_mixed(const struct mp_number *whole, double real)
{
	struct mp_number part = { .whole = true, .negative = real < 0 };
	double cut = trunc(real);
	int c;

	if (real >= two_to_64)
		return -1;
	if (real <= -two_to_64)
		return 1;
	part.magnitude = (uint64_t)fabs(cut);
	part.negative = part.negative && part.magnitude;
	c = cmp_whole(whole, &part);
	if (c || cut == real)
		return c;
	return real > cut ? -1 : 1;
}

int mp_number_cmp(const struct mp_number *a, const struct mp_number *b)
{
	if (a->whole && b->whole)
		return cmp_whole(a, b);
	if (a->whole)
		return cmp_mixed(a, b->real);
	if (b->whole)
		return -cmp_mixed(b, a->real);
	return a->real < b->real ? -1 : a->real > b->real;
}

uint64_t mp_number_bits(const struct mp_number *n)
{
	if (!n->whole)
		return 0;
	return n->negative ? -n->magnitude : n->magnitude;
}

double mp_number_real(const struct mp_number *n)
{
	if (!n->whole)
		return n->real;
	return n->negative ? -(double)n->magnitude : (double)n->magnitude;
}

void mp_number_negate(struct mp_number *n)
{
	n->negative = n->whole && n->magnitude && !n->negative;
	n->real = -n->real;
}

/* Returns false if the sum needs more than 64 bits. */
static bool add_whole(const struct mp_number *a, const struct mp_number *b, struct mp_number *to)
{
	struct mp_number sum = { .whole = true, .negative = a->negative };

	if (a->negative == b->negative) {
		if (__builtin_add_overflow(a->magnitude, b->magnitude, &sum.magnitude))
			return false;
	} else if (a->magnitude >= b->magnitude) {
		sum.magnitude = a->magnitude - b->magnitude;
	} else {
		sum.negative = b->negative;
		sum.magnitude = b->magnitude - a->magnitude;
	}
	sum.negative = sum.negative && sum.magnitude;
	*to = sum;
	return true;
}

static bool calc_whole(enum mp_number_op op, const struct mp_number *a, const struct mp_number *b,
		       struct mp_number *to)
{
	struct mp_number n = { .whole = true, .negative = a->negative != b->negative };
	struct mp_number minus = *b;

	switch (op) {
	case MP_NUMBER_ADD:
		return add_whole(a, b, to);
	case MP_NUMBER_SUBTRACT:
		mp_number_negate(&minus);
		return add_whole(a, &minus, to);
	case MP_NUMBER_MULTIPLY:
		if (__builtin_mul_overflow(a->magnitude, b->magnitude, &n.magnitude))
			return false;
		break;
	case MP_NUMBER_DIVIDE:
		if (a->magnitude % b->magnitude)
			return false;
		n.magnitude = a->magnitude / b->magnitude;
		break;
	case MP_NUMBER_QUOTIENT:
		n.magnitude = a->magnitude / b->magnitude;
		break;
	case MP_NUMBER_REMAINDER:
		n.magnitude = a->magnitude % b->magnitude;
		n.negative = a->negative;
		break;
	}
	n.negative = n.negative && n.magnitude;
	*to = n;
	return true;
}

enum mp_number_result mp_number_calc(enum mp_number_op op, const struct mp_number *a,
				     const struct mp_number *b, struct mp_number *to)
{
	double x = mp_number_real(a), y = mp_number_real(b), v = 0;

	if (op >= MP_NUMBER_DIVIDE && y == 0)
		return MP_NUMBER_BY_ZERO;
	if (a->whole && b->whole && calc_whole(op, a, b, to))
		return MP_NUMBER_OK;
	switch (op) {
	case MP_NUMBER_ADD:
		v = x + y;
		break;
	case MP_NUMBER_SUBTRACT:
		v = x - y;
		break;
	case MP_NUMBER_MULTIPLY:
		v = x * y;
		break;
	case MP_NUMBER_DIVIDE:
		v = x / y;
		break;
	case MP_NUMBER_QUOTIENT:
		v = trunc(x / y);
		break;
	case MP_NUMBER_REMAINDER:
		v = fmod(x, y);
		break;
	}
	if (!isfinite(v))
		return MP_NUMBER_RANGE;
	*to = of_real(v);
	return MP_NUMBER_OK;
}

char *mp_number_put(char *to, const struct mp_number *n)
{
	int len;

	if (n->whole) {
		if (n->negative)
			*to++ = '-';
		return mp_put_u64(to, n->magnitude);
	}
	len = snprintf(to, MP_NUMBER_MAX, "%.15g", n->real);
	if (strtod(to, NULL) != n->real)
		len = snprintf(to, MP_NUMBER_MAX, "%.17g", n->real);
	return to + len;
}
