// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/cell.h"

enum { NUMBER_MAX = 40 };

/* The bytes that are the same in a JSON string and in a cell with or without quotes. */
static const bool plain[256] = {
	[0x20 ... '"' - 1] = true,
	['"' + 1 ... '\\' - 1] = true,
	['\\' + 1 ... 0x7e] = true,
};

/* Splits the plain bytes at the start off the text. */
static struct mp_str split_plain(struct mp_str *s)
{
	struct mp_str head = { s->p, 0 };

	while (head.len < s->len && plain[(unsigned char)head.p[head.len]])
		head.len++;
	*s = mp_str_skip(*s, head.len);
	return head;
}

static bool is_control(int32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static void add_json_char(struct mp_buf *to, int32_t c, struct mp_str bytes)
{
	switch (c) {
	case '"':
	case '\\':
		mp_buf_byte(to, '\\');
		mp_buf_byte(to, (char)c);
		break;
	case '\t':
		mp_buf_str(to, MP_STR("\\t"));
		break;
	case '\n':
		mp_buf_str(to, MP_STR("\\n"));
		break;
	case '\r':
		mp_buf_str(to, MP_STR("\\r"));
		break;
	default:
		if (c <= 0)
			mp_buf_str(to, MP_STR(MP_REPLACEMENT));
		else if (is_control(c))
			mp_buf_printf(to, "\\u%04X", (unsigned)c);
		else
			mp_buf_str(to, bytes);
	}
}

static void add_tsv_char(struct mp_buf *to, int32_t c, struct mp_str bytes)
{
	if (c == '"')
		mp_buf_str(to, MP_STR("\"\""));
	else if (is_control(c) && c != '\t' && c != '\n' && c != '\r')
		mp_buf_str(to, MP_STR(MP_REPLACEMENT));
	else
		mp_buf_str(to, bytes);
}

static void add_text(struct mp_buf *to, struct mp_str raw,
		     void (*add_char)(struct mp_buf *to, int32_t c, struct mp_str bytes))
{
	for (;;) {
		int32_t c;
		size_t n;

		mp_buf_str(to, split_plain(&raw));
		if (!raw.len)
			return;
		c = mp_str_utf8(raw, &n);
		add_char(to, c, (struct mp_str){ raw.p, n });
		raw = mp_str_skip(raw, n);
	}
}

void mp_cell_json(struct mp_buf *to, struct mp_str raw)
{
	mp_buf_byte(to, '"');
	add_text(to, raw, add_json_char);
	mp_buf_byte(to, '"');
}

static bool needs_quotes(struct mp_str raw)
{
	struct mp_str rest = raw;

	while (rest.len) {
		split_plain(&rest);
		if (rest.len && memchr("\"\t\n\r", *rest.p, 4))
			return true;
		if (rest.len)
			rest = mp_str_skip(rest, 1);
	}
	return raw.len == 0;
}

void mp_cell_tsv(struct mp_buf *to, struct mp_str raw)
{
	bool quotes = needs_quotes(raw);

	if (quotes)
		mp_buf_byte(to, '"');
	add_text(to, raw, add_tsv_char);
	if (quotes)
		mp_buf_byte(to, '"');
}

static size_t count_digits(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n;
}

bool mp_cell_is_number(struct mp_str s)
{
	size_t n;

	if (s.len > NUMBER_MAX)
		return false;
	if (s.len && *s.p == '-')
		s = mp_str_skip(s, 1);
	n = count_digits(s);
	if (n == 0 || (n > 1 && *s.p == '0'))
		return false;
	s = mp_str_skip(s, n);
	if (s.len == 0)
		return true;
	return *s.p == '.' && s.len > 1 && count_digits(mp_str_skip(s, 1)) == s.len - 1;
}
