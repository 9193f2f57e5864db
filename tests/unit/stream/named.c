// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/named.h"

#include "lib/stream/esc.h"
#include "tests/unit/tap.h"

static bool splits(const char *value, const char *number, const char *name)
{
	return mp_str_eq(mp_named_number(mp_str(value)), mp_str(number)) &&
	       mp_str_eq(mp_named_name(mp_str(value)), mp_str(name));
}

static bool whole(const char *value)
{
	return splits(value, value, value);
}

static bool writes(const char *raw, const char *want)
{
	struct mp_buf to = { NULL, 0, 0 };
	bool same;

	mp_esc_add(&to, mp_str(raw), MP_ESC_VALUE);
	same = mp_str_eq(mp_buf_view(&to), mp_str(want)) && whole(want);
	mp_buf_release(&to);
	return same;
}

int main(void)
{
	ok(splits("104(NETFILTER_DROP)", "104", "NETFILTER_DROP"), "a value");
	ok(splits("-2(ENOENT)", "-2", "ENOENT") && splits("0()", "0", ""), "negative, empty name");
	ok(splits("0xffffffff81e4d9c7(f+0xb7)", "0xffffffff81e4d9c7", "f+0xb7"), "an address");
	ok(splits("127,0,0,1(127.0.0.1)", "127,0,0,1", "127.0.0.1"), "a list");
	ok(splits("1(a(b))", "1", "a(b)") && splits("1(()", "1", "("), "parentheses in a name");
	ok(whole("") && whole(")") && whole("1") && whole("-") && whole("-)") && whole("1)"),
	   "no parenthesis, no name");
	ok(whole("(sd-pam)") && whole("-(x)") && whole(",1(x)") && whole("x1(y)") &&
		   whole("1 (x)") && whole("1(x) ") && whole("1.5(x)") && whole("A(x)"),
	   "text is not a number");
	ok(writes("104(x)", "104\\x28x)") && writes("0(a(b))", "0\\x28a(b))"),
	   "text that looks like one is escaped");
	ok(writes("f(x)", "f(x)") && writes("1 (x)", "1 (x)") && writes("8:0", "8:0"),
	   "other text is not");
	return tap_done();
}
