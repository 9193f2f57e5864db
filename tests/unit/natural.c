// SPDX-License-Identifier: GPL-2.0-only
#include "lib/natural.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

/* In their order; each one is before all that follow. */
static const char *const sorted[] = {
	"",
	" 1",
	"%",
	"-1",
	"0",
	"00",
	"1",
	"02",
	"2",
	"10",
	"99999999999999999998",
	"99999999999999999999",
	"100000000000000000000",
	"A",
	"a",
	"a b",
	"a0",
	"a0b",
	"a1b2",
	"a1b10",
	"a2b1",
	"cpu",
	"cpu 2",
	"cpu 10",
	"cpu02",
	"cpu2",
	"cpu10",
	"x.9",
	"x.10",
	"\xc3\xa9",
};

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void test_order(void)
{
	size_t i, k, n = MP_ARRAY_SIZE(sorted), wrong = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			int want = sign((int)i - (int)k);
			int got = sign(mp_natural_cmp(mp_str(sorted[i]), mp_str(sorted[k])));

			if (got == want)
				continue;
			wrong++;
			printf("# '%s' and '%s': %d\n", sorted[i], sorted[k], got);
		}
	ok(wrong == 0, "%zu names, each against each", n);
}

/* A random text of few bytes, so that many have the same beginning. */
static struct mp_str random_text(char *to)
{
	static const char bytes[] = "0012a\xff";
	size_t len = rand() % 6, i;

	for (i = 0; i < len; i++)
		to[i] = bytes[rand() % 6];
	return (struct mp_str){ to, len };
}

static void test_is_an_order(void)
{
	char text[3][8];
	bool right = true;
	int i;

	srand(1);
	for (i = 0; i < 300000; i++) {
		struct mp_str a = random_text(text[0]), b = random_text(text[1]),
			      c = random_text(text[2]);
		int ab = mp_natural_cmp(a, b), bc = mp_natural_cmp(b, c);

		right &= sign(ab) == -sign(mp_natural_cmp(b, a));
		right &= (ab == 0) == mp_str_eq(a, b);
		if (ab <= 0 && bc <= 0)
			right &= mp_natural_cmp(a, c) <= 0;
	}
	ok(right, "a total order: antisymmetric, transitive, equal only if the same");
}

int main(void)
{
	mp_init("unit-natural");
	test_order();
	test_is_an_order();
	return tap_done();
}
