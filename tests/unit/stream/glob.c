// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/glob.h"

#include "tests/unit/tap.h"

static bool matches(const char *pattern, const char *escaped)
{
	struct mp_glob g;

	mp_glob_init(&g, mp_str(pattern));
	return mp_glob_match(&g, mp_str(escaped));
}

static void test_shapes(void)
{
	ok(matches("abc", "abc") && !matches("abc", "abcd") && !matches("abc", "ab"), "exact");
	ok(matches("ab*", "ab") && matches("ab**", "abc") && !matches("ab*", "aab"), "prefix");
	ok(matches("*bc", "bc") && matches("*bc", "bcbc") && !matches("*bc", "bcd"), "suffix");
	ok(matches("*b*", "abc") && matches("*b*", "b") && !matches("*b*", "ac"), "infix");
	ok(matches("*", "") && matches("*", "x") && matches("**", ""), "anything");
	ok(matches("", "") && !matches("", "x") && !matches("?", ""), "nothing");
	ok(matches("a*c", "ac") && matches("a*c", "abcbc") && !matches("a*c", "acb"), "both ends");
	ok(matches("*a*b*c", "xaybzbcc") && !matches("*a*b*c", "xcyb"), "several");
	ok(matches("a?c", "abc") && !matches("a?c", "ac") && matches("??*", "abc"), "one byte");
	ok(!matches("Abc", "abc"), "letters have a case");
}

static void test_classes(void)
{
	ok(matches("[abc]x", "bx") && !matches("[abc]x", "dx"), "class");
	ok(matches("[a-c]", "b") && !matches("[a-c]", "d") && matches("[a-]", "-"), "range");
	ok(matches("[!a-c]", "d") && !matches("[!a-c]", "a"), "class of what is not meant");
	ok(matches("[]]", "]") && matches("[!]]", "a") && !matches("[!]]", "]"), "] first");
	ok(matches("[abc", "[abc") && !matches("[abc", "a") && matches("*[", "x["), "no class");
	ok(matches("[^a]", "^") && matches("[^a]", "a"), "^ is a byte");
	ok(matches("\\*", "*") && !matches("\\*", "x") && matches("\\[a]", "[a]"), "quoted");
	ok(matches("[\xc0-\xff]", "\xe9") && matches("a[!x]*", "a\xff"), "bytes above 127");
}

static void test_escapes(void)
{
	ok(matches("a\tb", "a\\tb") && matches("a?b", "a\\tb"), "an escape is one byte");
	ok(matches("a;b", "a\\x3bb") && matches("*;*", "a\\x3bb"), "by number too");
	ok(matches("a\\\\b", "a\\\\b") && matches("a[\\]b", "a\\\\b"), "the backslash itself");
	ok(matches("*t", "\\\\t") && !matches("*\t", "\\\\t"), "an escaped backslash and a t");
	ok(matches("*\\\\", "x\\") && matches("\\\\q", "\\q"), "a broken escape is its bytes");
	ok(matches("x*", "x\\x41") && matches("*A", "x\\x41") && matches("xA", "x\\x41") &&
		   matches("*xA*", "x\\x41") && !matches("*41", "x\\x41"),
	   "each shape undoes them");
}

static void test_speed(void)
{
	char text[20001];

	memset(text, 'a', 20000);
	text[20000] = '\0';
	ok(!matches("*a*a*a*a*a*a*a*a*b", text), "many stars take no exponential time");
}

static void plain(void)
{
	ok(mp_glob_plain("a*c", "abbc") && !mp_glob_plain("a*c", "abb"), "text without escapes");
	ok(mp_glob_plain("a?c", "a\\c") && mp_glob_plain("a\\*", "a*") &&
		   !mp_glob_plain("a\\*", "ab"),
	   "a backslash of the text is a byte, one of the pattern is not");
}

int main(void)
{
	test_shapes();
	test_classes();
	test_escapes();
	test_speed();
	plain();
	return tap_done();
}
