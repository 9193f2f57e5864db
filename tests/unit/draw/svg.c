// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/svg.h"

#include "tests/unit/tap.h"

static bool gives(void (*put)(struct mp_buf *, struct mp_str), struct mp_str raw, const char *text)
{
	struct mp_buf b = { NULL, 0, 0 };
	bool same;

	put(&b, raw);
	same = mp_str_eq(mp_buf_view(&b), mp_str(text));
	if (!same)
		printf("# got %.*s\n", MP_STR_ARGS(mp_buf_view(&b)));
	mp_buf_release(&b);
	return same;
}

static bool number(double v, const char *text)
{
	struct mp_buf b = { NULL, 0, 0 };
	bool same;

	mp_svg_num(&b, v);
	same = mp_str_eq(mp_buf_view(&b), mp_str(text));
	mp_buf_release(&b);
	return same;
}

static bool fits(const char *raw, double px, const char *text)
{
	struct mp_buf b = { NULL, 0, 0 };
	bool cut = mp_svg_fit(&b, mp_str(raw), px, 10), same;

	same = mp_str_eq(mp_buf_view(&b), mp_str(text)) && cut == (strcmp(raw, text) != 0) &&
	       mp_svg_width(mp_buf_view(&b), 10) <= px;
	if (!same)
		printf("# got %.*s\n", MP_STR_ARGS(mp_buf_view(&b)));
	mp_buf_release(&b);
	return same;
}

/*
 * Tests that no bytes end the string, the attribute, the element or the CDATA section that they are
 * in.
 */
static void test_any_bytes(void)
{
	struct mp_buf b = { NULL, 0, 0 };
	char all[512];
	bool safe = true;
	size_t i;

	for (i = 0; i < sizeof(all); i++)
		all[i] = i < 256 ? i : 511 - i;
	mp_svg_json(&b, (struct mp_str){ all, sizeof(all) });
	for (i = 1; i + 1 < b.len; i++)
		safe &= !strchr("<>&'\"", b.p[i]) && (unsigned char)b.p[i] >= ' ';
	ok(safe && b.p[0] == '"' && b.p[b.len - 1] == '"', "all bytes as JSON");
	b.len = 0;
	mp_svg_text(&b, (struct mp_str){ all, sizeof(all) });
	for (i = 0, safe = true; i < b.len; i++)
		safe &= !strchr("<>'\"", b.p[i]) && (unsigned char)b.p[i] >= ' ';
	ok(safe, "all bytes as XML");
	mp_buf_release(&b);
}

int main(void)
{
	ok(gives(mp_svg_text, mp_str("<script>alert('1')</script>"),
		 "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"),
	   "a script");
	ok(gives(mp_svg_text, mp_str("\"]]>&"), "&quot;]]&gt;&amp;"), "end of CDATA");
	ok(gives(mp_svg_text, MP_STR("a\0b\x1b\x7f\t\n"), "a\\x00b\\x1b\\x7f\\x09\\x0a"),
	   "control bytes");
	ok(gives(mp_svg_text, mp_str("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
		 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
	   "UTF-8 stays");
	ok(gives(mp_svg_text, mp_str("\xff\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
	   "no UTF-8");
	ok(gives(mp_svg_text, mp_str("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd"), "cut UTF-8");
	ok(gives(mp_svg_text, mp_str("\xed\xa0\x80|\xef\xbf\xbe|\xc2\x9b|\xe2\x80\xae"),
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd"),
	   "surrogate, U+FFFE, C1, bidi");
	ok(gives(mp_svg_json, mp_str("</script>]]>\\\"'&"),
		 "\"\\u003c/script\\u003e]]\\u003e\\u005c\\u0022\\u0027\\u0026\""),
	   "JSON");
	test_any_bytes();
	ok(number(1, "1") && number(0.5, "0.5") && number(-0.001, "0") && number(1.005, "1") &&
		   number(10.1, "10.1") && number(-3.25, "-3.25") && number(100, "100") &&
		   number(0.0 / 0.0, "0") && number(1e300, "0") && number(-0.5, "-0.5"),
	   "numbers");
	ok(fits("short", 100, "short"), "what fits stays");
	ok(fits("kworker/u8:2-events_unbound", 100, "kworker/u\xe2\x80\xa6nbound"),
	   "the middle goes");
	ok(fits("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 42,
		"\xc3\xa4\xe2\x80\xa6\xc3\xa4\xc3\xa4"),
	   "characters stay complete");
	ok(fits("abc", 11, "\xe2\x80\xa6"), "room for the sign alone");
	return tap_done();
}
