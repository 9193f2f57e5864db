// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/natural.h"

#include "tests/unit/tap.h"

static int cmp(const char *a, const char *b)
{
	int forth = mp_natural_cmp(mp_str(a), mp_str(b));
	int back = mp_natural_cmp(mp_str(b), mp_str(a));

	if ((forth < 0) != (back > 0) || (forth == 0) != (back == 0))
		return 99;
	return (forth > 0) - (forth < 0);
}

static void test_sort(void)
{
	struct mp_str names[] = { MP_STR("10"), MP_STR("9"),   MP_STR("cpu10"), MP_STR("-2"),
				  MP_STR("0"),	MP_STR("-10"), MP_STR("cpu2"),	MP_STR("") };
	static const char *const wanted[] = { "-10", "-2", "", "0", "9", "10", "cpu2", "cpu10" };
	bool same = true;
	size_t i;

	mp_natural_sort(names, 8);
	for (i = 0; i < 8; i++)
		same &= mp_str_eq(names[i], mp_str(wanted[i]));
	ok(same, "a sorted list");
}

int main(void)
{
	ok(cmp("cpu2", "cpu10") == -1, "2 before 10");
	ok(cmp("a2b3", "a2b20") == -1, "the second number counts");
	ok(cmp("a", "a1") == -1, "the shorter first");
	ok(cmp("2", "x") == -1, "digits before letters");
	ok(cmp("007", "7") != 0 && cmp("007", "7") != 99, "leading zeros: distinguished");
	ok(cmp("007", "8") == -1, "leading zeros: by value");
	ok(cmp("99999999999999999999998", "99999999999999999999999") == -1, "beyond 64 bits");
	ok(cmp("-2", "-10") == 1, "negative numbers");
	ok(cmp("a-2", "a-10") == -1, "a dash within a name is not a sign");
	ok(cmp("-x", "-y") == -1, "a dash before letters is not a sign");
	ok(cmp("\xff", "a") == 1, "bytes are unsigned");
	ok(cmp("", "") == 0 && cmp("x9", "x9") == 0, "equal");
	test_sort();
	return tap_done();
}
