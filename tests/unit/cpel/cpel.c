// SPDX-License-Identifier: GPL-2.0-only
#include "lib/cpel/cpel.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/unit/tap.h"

static void test_texts(void)
{
	struct mp_cpel c;
	bool right = true;
	uint32_t *at = mp_alloc(200000 * sizeof(*at)), end = 11; /* after "FileStrtab" */
	char text[32];
	int i, len;

	mp_cpel_init(&c);
	for (i = 0; i < 200000; i++) {
		len = snprintf(text, sizeof(text), "text %d", i);
		at[i] = mp_cpel_text(&c, (struct mp_str){ text, len });
		right &= at[i] == end;
		end += len + 1;
	}
	ok(right, "200,000 texts, each after the previous one");
	for (i = 0; i < 200000; i++) {
		len = snprintf(text, sizeof(text), "text %d", i);
		right &= mp_cpel_text(&c, (struct mp_str){ text, len }) == at[i];
	}
	ok(right && c.texts.bytes == end, "once each");
	ok(mp_cpel_text(&c, mp_str("FileStrtab")) == 0, "the name of the table is the first");
	mp_cpel_release(&c);
	free(at);
}

/* A text whose hash is that of another one is another text, in memory and in a file. */
static void test_same_hash(void)
{
	const struct mp_str one = MP_STR("one"), two = MP_STR("two"),
			    longer = MP_STR("one and more");
	XXH128_hash_t of_two = XXH3_128bits_withSeed(two.p, two.len, mp_hash_seed());
	XXH128_hash_t of_longer = XXH3_128bits_withSeed(longer.p, longer.len, mp_hash_seed());
	char *large = mp_zalloc(8 << 20);
	struct mp_cpel c;
	uint32_t at;
	int filed;

	for (filed = 0; filed < 2; filed++) {
		mp_cpel_init(&c);
		at = mp_cpel_text(&c, one);
		mp_intmap_add(&c.places, of_two.low64, of_two.high64 << 32 | (at + 1));
		mp_intmap_add(&c.places, of_longer.low64, of_longer.high64 << 32 | (at + 1));
		if (filed)
			mp_cpel_text(&c, (struct mp_str){ large, 8 << 20 });
		ok(mp_cpel_text(&c, two) != at && mp_cpel_text(&c, longer) != at &&
			   mp_cpel_text(&c, one) == at &&
			   mp_cpel_text(&c, two) == mp_cpel_text(&c, two),
		   "texts with the same hash, %s", filed ? "in a file" : "in memory");
		mp_cpel_release(&c);
	}
	free(large);
}

static bool ascii_is(const char *text, size_t max, bool percent, const char *wanted)
{
	struct mp_buf b = { NULL, 0, 0 };
	bool same;

	mp_cpel_ascii(&b, mp_str(text), max, percent);
	same = mp_str_eq(mp_buf_view(&b), mp_str(wanted));
	if (!same)
		printf("# '%.*s'\n", MP_STR_ARGS(mp_buf_view(&b)));
	mp_buf_release(&b);
	return same;
}

static void test_ascii(void)
{
	ok(ascii_is("nginx: worker", 99, true, "nginx: worker"), "plain text");
	ok(ascii_is("", 99, true, ""), "no text");
	ok(ascii_is("100%s%%", 99, true, "100%%s%%%%"), "percent doubled");
	ok(ascii_is("100%s", 99, false, "100%s"), "or not");
	ok(ascii_is("\xc3\xa4\x01\x7f", 99, true, "\\xc3\\xa4\\x01\\x7f"), "no ASCII");
	ok(ascii_is("a\\tb\\x00\\\\", 99, true, "a\\tb\\x00\\\\"), "escapes stay");
	ok(ascii_is("\\%\\x%%\\", 99, true, "\\%%\\x%%%%\\"),
	   "what is not an escape is plain bytes");
	ok(ascii_is("abc\\x00d", 6, true, "abc"), "an escape is not cut");
	ok(ascii_is("abc\\x00d", 7, true, "abc\\x00"), "it fits");
	ok(ascii_is("ab\xff", 5, true, "ab"), "nor one that is made");
	ok(ascii_is("%%%", 2, true, "%%%%"), "the limit is of what is shown");
}

int main(void)
{
	mp_init("unit-cpel");
	test_texts();
	test_same_hash();
	test_ascii();
	return tap_done();
}
