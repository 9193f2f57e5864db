// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/common_name.h"

/* Returns how many digits, hexadecimal ones with `hex`, end the text. */
static size_t digits_at_end(struct mp_str s, bool hex)
{
	size_t n = 0;

	for (; n < s.len; n++) {
		char c = s.p[s.len - 1 - n];

		if (!(c >= '0' && c <= '9') && !(hex && c >= 'a' && c <= 'f'))
			break;
	}
	return n;
}

/* Removes an ending. Returns false if the text has another. */
static bool cut(struct mp_str *s, struct mp_str end)
{
	if (!mp_str_ends(*s, end))
		return false;
	s->len -= end.len;
	return true;
}

/* Removes ".isra.0" and similar endings, of which GCC and LLVM append several. */
static bool cut_clone(struct mp_str *s)
{
	static const struct {
		struct mp_str end;
		bool bare; /* comes without a number as well */
	} ends[] = {
		{ { ".isra", 5 }, false },   { { ".constprop", 10 }, false },
		{ { ".part", 5 }, false },   { { ".cold", 5 }, true },
		{ { ".llvm", 5 }, false },   { { ".lto_priv", 9 }, false },
		{ { ".__uniq", 7 }, false }, { { ".localalias", 11 }, true },
	};
	struct mp_str rest = *s;
	size_t digits = digits_at_end(*s, false), i;
	bool numbered = digits && digits < s->len && s->p[s->len - digits - 1] == '.';

	if (numbered)
		rest.len -= digits + 1;
	for (i = 0; i < MP_ARRAY_SIZE(ends); i++) {
		if ((numbered || ends[i].bare) && cut(&rest, ends[i].end)) {
			*s = rest;
			return true;
		}
	}
	return false;
}

/* Removes a note of demanglers: " [clone .isra.0]" or " (.isra.0)". */
static bool cut_note(struct mp_str *s, struct mp_str open, char close)
{
	struct mp_str rest = *s, inner;
	size_t at;

	if (!rest.len || rest.p[rest.len - 1] != close)
		return false;
	rest.len--;
	for (at = rest.len; at > 0 && rest.p[at - 1] != open.p[open.len - 1]; at--)
		if (rest.p[at - 1] == ' ')
			return false;
	inner = mp_str_skip(rest, at);
	rest.len = at;
	if (!inner.len || !cut(&rest, open))
		return false;
	while (cut_clone(&inner))
		;
	if (inner.len)
		return false;
	*s = rest;
	return true;
}

static bool cut_rust_hash(struct mp_str *s)
{
	enum { DIGITS = 16 };
	struct mp_str rest = *s;

	if (digits_at_end(*s, true) < DIGITS)
		return false;
	rest.len -= DIGITS;
	if (!cut(&rest, MP_STR("::h")))
		return false;
	*s = rest;
	return true;
}

static bool cut_offset(struct mp_str *s)
{
	struct mp_str rest = *s;
	size_t digits = digits_at_end(*s, true);

	rest.len -= digits;
	if (!digits || !cut(&rest, MP_STR("+0x")))
		return false;
	*s = rest;
	return true;
}

struct mp_str mp_fold_common_name(struct mp_str name)
{
	struct mp_str s = name;

	for (;;) {
		struct mp_str before = s;

		if (!cut_clone(&s) && !cut_note(&s, MP_STR(" [clone "), ']') &&
		    !cut_note(&s, MP_STR(" ("), ')') && !cut_rust_hash(&s) && !cut_offset(&s))
			return s;
		if (s.len == 0)
			return before;
	}
}

bool mp_fold_is_unknown(struct mp_str name, struct mp_str *module)
{
	if (!name.len || name.p[0] != '[' || !cut_offset(&name) || name.p[name.len - 1] != ']')
		return false;
	*module = name;
	return true;
}
