// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/str.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

static bool put_is(char *(*put)(char *, uint64_t), uint64_t v, const char *text)
{
	char buf[MP_NUM_MAX + 1], *end = put(buf, v);

	*end = '\0';
	return strcmp(buf, text) == 0;
}

static char *put_signed(char *to, uint64_t v)
{
	return mp_put_i64(to, (int64_t)v);
}

static void test_put(void)
{
	ok(put_is(mp_put_u64, 0, "0"), "u64 0");
	ok(put_is(mp_put_u64, 7, "7"), "u64 one digit");
	ok(put_is(mp_put_u64, 100, "100"), "u64 100");
	ok(put_is(mp_put_u64, UINT64_MAX, "18446744073709551615"), "u64 greatest");
	ok(put_is(put_signed, (uint64_t)INT64_MIN, "-9223372036854775808"), "i64 least");
	ok(put_is(put_signed, (uint64_t)-1, "-1"), "i64 -1");
	ok(put_is(mp_put_hex, 0, "0x0"), "hex 0");
	ok(put_is(mp_put_hex, 0x10, "0x10"), "hex 0x10");
	ok(put_is(mp_put_hex, UINT64_MAX, "0xffffffffffffffff"), "hex greatest");
}

/* Compares the code that parses eight digits at once with strtoull, for numbers of every length. */
static void test_u64_against_libc(void)
{
	char text[32];
	bool same = true;
	uint64_t v, got;
	int i;

	srand(1);
	for (i = 0; i < 200000; i++) {
		v = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
		v >>= rand() % 64;
		*mp_put_u64(text, v) = '\0';
		same &= mp_num_u64(mp_str(text), &got) == 0 && got == v &&
			strtoull(text, NULL, 10) == v;
	}
	ok(same, "200,000 numbers to text and back as libc does");
}

static void test_u64_refused(void)
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		"1 ",
		" 1",
		"12345678:",
		"/1234567",
		"1234567/",
		"123456789a",
		"18446744073709551616",
		"99999999999999999999",
		"111111111111111111111",
	};
	uint64_t v;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(mp_num_u64(mp_str(bad[i]), &v) < 0, "'%s' is not a u64", bad[i]);
}

/* Tests all bytes in all places of eight digits: only digits are accepted. */
static void test_each_byte(void)
{
	bool right = true;
	char text[9];
	uint64_t v;
	int place, c;

	for (place = 0; place < 8; place++) {
		for (c = 0; c < 256; c++) {
			memcpy(text, "12345678", 9);
			text[place] = (char)c;
			right &= (mp_num_u64((struct mp_str){ text, 8 }, &v) == 0) ==
				 (c >= '0' && c <= '9');
		}
	}
	ok(right, "each byte in each of eight places");
}

static void test_i64(void)
{
	int64_t v;

	ok(mp_num_i64(MP_STR("-9223372036854775808"), &v) == 0 && v == INT64_MIN, "least i64");
	ok(mp_num_i64(MP_STR("+5"), &v) == 0 && v == 5, "plus sign");
	ok(mp_num_i64(MP_STR("9223372036854775808"), &v) < 0, "too large");
	ok(mp_num_i64(MP_STR("-9223372036854775809"), &v) < 0, "too small");
	ok(mp_num_i64(MP_STR("-"), &v) < 0, "sign alone");
	ok(mp_num_i64(MP_STR("--1"), &v) < 0, "two signs");
	ok(mp_num_any(MP_STR("0x1F"), &v) == 0 && v == 31, "hexadecimal");
	ok(mp_num_any(MP_STR("0x"), &v) < 0, "0x alone");
	ok(mp_num_any(MP_STR("0x10000000000000000"), &v) < 0, "17 hexadecimal digits");
}

static void test_decimal(void)
{
	double v;

	ok(mp_num_decimal(MP_STR("-1.5e3"), &v) == 0 && v == -1500, "decimal with exponent");
	ok(mp_num_decimal(MP_STR(".5"), &v) == 0 && v == 0.5, "no digit before the point");
	ok(mp_num_decimal(MP_STR("inf"), &v) < 0, "infinity is refused");
	ok(mp_num_decimal(MP_STR("nan"), &v) < 0, "nan is refused");
	ok(mp_num_decimal(MP_STR("1e999"), &v) < 0, "overflow is refused");
	ok(mp_num_decimal(MP_STR("0x1p3"), &v) < 0, "hexadecimal float is refused");
	ok(mp_num_decimal(MP_STR("e"), &v) < 0, "e alone");
	ok(mp_num_decimal(MP_STR("."), &v) < 0, "a point alone");
	ok(mp_num_decimal(MP_STR("-"), &v) < 0, "a sign alone");
	ok(mp_num_decimal(MP_STR("1.2.3"), &v) < 0, "two points");
	ok(mp_num_decimal(MP_STR("+7."), &v) == 0 && v == 7, "no digit after the point");
}

/* Tests that the fast way and the slow one give exactly what strtod() gives. */
static void test_decimal_against_libc(void)
{
	bool same = true;
	char text[64];
	double v;
	int i;

	srand(2);
	for (i = 0; i < 200000; i++) {
		double r = (double)rand() / RAND_MAX;

		if (i % 2)
			snprintf(text, sizeof(text), "%.*f", rand() % 18,
				 (r - 0.5) * (i % 7 ? 1e4 : 1e12));
		else
			snprintf(text, sizeof(text), "%d.%09d", rand() % 100000 - 50000, rand());
		same &= mp_num_decimal(mp_str(text), &v) == 0 && v == strtod(text, NULL);
	}
	ok(same, "200,000 decimal numbers as libc reads them");
}

static void test_units(void)
{
	uint64_t v;

	ok(mp_num_duration("500ms", &v) == 0 && v == 500000000, "500ms");
	ok(mp_num_duration("2.5m", &v) == 0 && v == 150000000000, "2.5m");
	ok(mp_num_duration("3", &v) == 0 && v == 3000000000, "bare number: seconds");
	ok(mp_num_duration("7ns", &v) == 0 && v == 7, "7ns");
	ok(mp_num_duration("3x", &v) < 0, "unknown unit");
	ok(mp_num_duration("-3s", &v) < 0, "negative");
	ok(mp_num_duration("", &v) < 0, "empty");
	ok(mp_num_duration("1e30s", &v) < 0, "too long");
	ok(mp_num_size("64K", &v) == 0 && v == 65536, "64K");
	ok(mp_num_size("1G", &v) == 0 && v == 1 << 30, "1G");
	ok(mp_num_size("0.5M", &v) == 0 && v == 1 << 19, "0.5M");
	ok(mp_num_size("12Q", &v) < 0, "unknown size");
}

static void test_buf(void)
{
	struct mp_buf b = { NULL, 0, 0 };
	int i;

	ok(mp_buf_view(&b).len == 0 && mp_buf_view(&b).p, "an empty buffer has a view");
	for (i = 0; i < 1000; i++)
		mp_buf_printf(&b, "%03d,", i);
	ok(b.len == 4000 && memcmp(b.p + 3996, "999,", 4) == 0, "printf grows");
	mp_buf_release(&b);
	ok(mp_str_cmp(MP_STR("a"), MP_STR("ab")) < 0, "prefix is less");
	ok(mp_str_cmp(MP_STR("b"), MP_STR("ab")) > 0, "by bytes");
	ok(mp_str_cmp(MP_STR("\xff"), MP_STR("a")) > 0, "bytes are unsigned");
}

static void test_parts(void)
{
	struct mp_str s = MP_STR("head:tail");

	ok(mp_str_starts(s, MP_STR("head")) && !mp_str_starts(s, MP_STR("tail")) &&
		   !mp_str_starts(MP_STR("he"), MP_STR("head")) && mp_str_starts(s, MP_STR("")),
	   "starts");
	ok(mp_str_ends(s, MP_STR("tail")) && !mp_str_ends(s, MP_STR("head")) &&
		   !mp_str_ends(MP_STR("il"), MP_STR("tail")) && mp_str_ends(s, s),
	   "ends");
	ok(mp_str_eq(mp_str_skip(s, 5), MP_STR("tail")), "skip");
	ok(mp_str_eq(mp_str_trim(MP_STR(" \t a b\r\n")), MP_STR("a b")) &&
		   mp_str_trim(MP_STR(" \t ")).len == 0 && mp_str_trim(MP_STR("")).len == 0,
	   "trim");
}

int main(void)
{
	test_parts();
	mp_init("unit-str");
	test_put();
	test_u64_against_libc();
	test_u64_refused();
	test_each_byte();
	test_i64();
	test_decimal();
	test_decimal_against_libc();
	test_units();
	test_buf();
	return tap_done();
}
