// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/number.h"

#include "tests/unit/tap.h"

static int cmp(const char *a, const char *b)
{
	struct mp_number x, y;

	if (mp_number_parse(&x, mp_str(a)) < 0 || mp_number_parse(&y, mp_str(b)) < 0)
		return 99;
	if (mp_number_cmp(&y, &x) != -mp_number_cmp(&x, &y))
		return 98;
	return mp_number_cmp(&x, &y);
}

static bool constant_is(const char *text, const char *want)
{
	struct mp_number x, y;

	return mp_number_constant(&x, mp_str(text)) == 0 &&
	       mp_number_parse(&y, mp_str(want)) == 0 && x.whole == y.whole &&
	       mp_number_cmp(&x, &y) == 0;
}

static void test_order(void)
{
	/* each number is less than the next */
	static const char *const order[] = {
		"-1e300",
		"-18446744073709551615",
		"-9223372036854775809",
		"-9223372036854775808",
		"-9007199254740993",
		"-9007199254740992",
		"-2",
		"-1.5",
		"-1",
		"-.25",
		"0",
		"1e-300",
		"1",
		"1.5",
		"2",
		"9007199254740992",
		"9007199254740993",
		"9007199254740994.0",
		"9007199254740995",
		"9223372036854775807",
		"9223372036854775808.0",
		"0x8000000000000001",
		"18446744073709551614",
		"0xffffffffffffffff",
		"18446744073709551616",
		"1e300",
	};
	size_t i, j, wrong = 0;

	for (i = 0; i < MP_ARRAY_SIZE(order); i++)
		for (j = 0; j < MP_ARRAY_SIZE(order); j++)
			wrong += cmp(order[i], order[j]) != (i > j) - (i < j);
	ok(wrong == 0, "order of %zu numbers", MP_ARRAY_SIZE(order));
	ok(cmp("-0", "0") == 0 && cmp("-0", "0x0") == 0 && cmp("0.0", "-0.0") == 0, "one zero");
	ok(cmp("10", "1e1") == 0 && cmp("10", "+10") == 0 && cmp("10", "0xa") == 0 &&
		   cmp("10", "0XA") == 0 && cmp("10", "0010") == 0 && cmp("10", "10.0") == 0,
	   "ten in several ways");
}

static void test_none(void)
{
	static const char *const none[] = { "",	     "-",   "x",   "0x",
					    "0xg",   "1x",  "inf", "nan",
					    "1e999", "1 ",  "--1", "0x12345678901234567",
					    "1,2",   "-0x1" };
	struct mp_number n;
	size_t i, taken = 0;

	for (i = 0; i < MP_ARRAY_SIZE(none); i++)
		taken += mp_number_parse(&n, mp_str(none[i])) == 0;
	ok(taken == 0, "text that is not a number");
}

static void test_constants(void)
{
	struct mp_number n;

	ok(constant_is("017", "15") && constant_is("-017", "-15") && constant_is("0", "0"),
	   "octal");
	ok(constant_is("01777777777777777777777", "18446744073709551615") &&
		   mp_number_constant(&n, MP_STR("02000000000000000000000")) < 0,
	   "octal up to 64 bits");
	ok(mp_number_constant(&n, MP_STR("08")) < 0, "08 is not an octal number");
	ok(constant_is("0x1F", "31") && constant_is("-0x10", "-16"), "hexadecimal");
	ok(constant_is("0.5", "0.5") && constant_is("00.5", "0.5"), "a fraction is not octal");
	ok(constant_is("5ns", "5") && constant_is("5us", "5000") && constant_is("5ms", "5000000") &&
		   constant_is("-5s", "-5000000000"),
	   "times in ns");
	ok(constant_is("1.5ms", "1500000") && constant_is("0.001us", "1"), "fraction of a time");
	ok(constant_is("9007199254740993ns", "9007199254740993"), "a time of 2^53 + 1 is exact");
	ok(mp_number_constant(&n, MP_STR("9999999999s")) == 0 && n.whole, "a long time");
	ok(mp_number_constant(&n, MP_STR("99999999999999s")) < 0, "too long a time");
	ok(mp_number_constant(&n, MP_STR("s")) < 0 && mp_number_constant(&n, MP_STR("5m")) < 0 &&
		   mp_number_constant(&n, MP_STR("0x5s")) < 0 &&
		   mp_number_constant(&n, MP_STR("-")) < 0 &&
		   mp_number_constant(&n, MP_STR("")) < 0,
	   "no constants");
}

static void test_bits(void)
{
	struct mp_number n = mp_number_of(-1);

	ok(mp_number_bits(&n) == UINT64_MAX, "-1 has all bits");
	n = mp_number_of(INT64_MIN);
	ok(mp_number_bits(&n) == 1ull << 63, "the least has one");
	mp_number_parse(&n, MP_STR("1.5"));
	ok(mp_number_bits(&n) == 0, "a fraction has none");
}

int main(void)
{
	test_order();
	test_none();
	test_constants();
	test_bits();
	return tap_done();
}
