// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/span_name.h"

#include <string.h>

#include "lib/stream/named.h"

enum { TYPE_MAX = 255 };

/* Words by which the types of a begin and its end differ. */
static const struct {
	const char *begin, *end;
} words[] = {
	{ "enter", "exit" },	   { "entry", "exit" },	  { "begin", "end" },
	{ "start", "end" },	   { "fentry", "fexit" }, { "kprobe", "kretprobe" },
	{ "uprobe", "uretprobe" },
};

static bool is_between_words(char c)
{
	return c == '_' || c == ':';
}

/* The length of the words that both begin with, with the character after the last one. */
static size_t common_begin(struct mp_str a, struct mp_str b)
{
	size_t n = 0, words_end = 0;

	for (; n < a.len && n < b.len && a.p[n] == b.p[n]; n++)
		if (is_between_words(a.p[n]))
			words_end = n + 1;
	return words_end;
}

/* The length of the words that both end with, with the character before the first one. */
static size_t common_end(struct mp_str a, struct mp_str b)
{
	size_t n = 0, words_begin = 0;

	while (n < a.len && n < b.len && a.p[a.len - 1 - n] == b.p[b.len - 1 - n])
		if (is_between_words(a.p[a.len - 1 - n++]))
			words_begin = n;
	return words_begin;
}

static bool are_words(struct mp_str begin, struct mp_str end)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(words); i++)
		if (mp_str_eq(begin, mp_str(words[i].begin)) &&
		    mp_str_eq(end, mp_str(words[i].end)))
			return true;
	return false;
}

static bool begins_type(struct mp_str s)
{
	return s.len && (*s.p | 0x20) >= 'a' && (*s.p | 0x20) <= 'z';
}

/* The parts of `begin` before and after the word by which `end` differs; false: there is none. */
static bool find_word(struct mp_str begin, struct mp_str end, struct mp_str *before,
		      struct mp_str *after)
{
	size_t left = common_begin(begin, end), right;
	struct mp_str b = { begin.p + left, begin.len - left },
		      e = { end.p + left, end.len - left };

	right = common_end(b, e);
	*before = (struct mp_str){ begin.p, left };
	*after = (struct mp_str){ b.p + b.len - right, right };
	return are_words((struct mp_str){ b.p, b.len - right },
			 (struct mp_str){ e.p, e.len - right });
}

/* Adds the type without the word between `before` and `after`; false: it would not be a type. */
static bool add_common(struct mp_buf *text, struct mp_str before, struct mp_str after)
{
	static const struct mp_str call = { "syscalls:sys_", 13 };
	size_t from = text->len;

	if (after.len > 1 && mp_str_eq(before, call) &&
	    begins_type((struct mp_str){ after.p + 1, 1 })) {
		mp_buf_add(text, after.p + 1, after.len - 1);
		return true;
	}
	/* of the characters around the word one is left, and none at the ends of the type */
	if (after.len && (!before.len || before.p[before.len - 1] == ':'))
		after = (struct mp_str){ after.p + 1, after.len - 1 };
	else if (before.len)
		before.len--;
	mp_buf_str(text, before);
	mp_buf_str(text, after);
	if (begins_type((struct mp_str){ text->p + from, text->len - from }))
		return true;
	text->len = from;
	return false;
}

/* Truncates a type to at most `max` bytes, without splitting an escape. */
static struct mp_str cut(struct mp_str type, size_t max)
{
	size_t i = 0, len;

	while (i < type.len) {
		len = 1;
		if (type.p[i] == '\\')
			len = i + 1 < type.len && type.p[i + 1] == 'x' ? 4 : 2;
		if (i + len > max)
			return (struct mp_str){ type.p, i };
		i += len;
	}
	return type;
}

void mp_span_name_add(struct mp_buf *text, struct mp_str begin, struct mp_str end)
{
	struct mp_str before, after;

	if (find_word(begin, end, &before, &after) && add_common(text, before, after))
		return;
	if (begin.len + end.len + 2 > TYPE_MAX) {
		begin = cut(begin, MP_MAX((TYPE_MAX - 2) / 2, TYPE_MAX - 2 - (int)end.len));
		end = cut(end, TYPE_MAX - 2 - begin.len);
	}
	mp_buf_str(text, begin);
	mp_buf_add(text, "=>", 2);
	mp_buf_str(text, end);
}

struct mp_str mp_span_name_call(struct mp_str id)
{
	struct mp_str name = mp_named_name(id), none = { NULL, 0 };
	size_t i;

	if (!begins_type(name) || name.len > TYPE_MAX)
		return none;
	for (i = 0; i < name.len; i++)
		if (!(name.p[i] >= 'a' && name.p[i] <= 'z') &&
		    !(name.p[i] >= '0' && name.p[i] <= '9') && name.p[i] != '_')
			return none;
	return name;
}
