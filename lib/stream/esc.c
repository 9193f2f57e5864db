// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/esc.h"

enum { ALWAYS = MP_ESC_VALUE | MP_ESC_FRAME | MP_ESC_TYPE };

static const unsigned char special[256] = {
	[0x00 ... 0x1f] = ALWAYS, [0x7f] = ALWAYS,     ['\\'] = ALWAYS,
	[';'] = MP_ESC_FRAME,	  [','] = MP_ESC_TYPE, [' '] = MP_ESC_TYPE,
};

static char *put_hex(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	to[0] = '\\';
	to[1] = 'x';
	to[2] = hex[c >> 4];
	to[3] = hex[c & 15];
	return to + 4;
}

char *mp_esc_put(char *to, struct mp_str raw, enum mp_esc where)
{
	size_t i;

	for (i = 0; i < raw.len; i++) {
		unsigned char c = raw.p[i];

		if (!(special[c] & where)) {
			*to++ = c;
			continue;
		}
		switch (c) {
		case '\t':
			*to++ = '\\', *to++ = 't';
			break;
		case '\n':
			*to++ = '\\', *to++ = 'n';
			break;
		case '\r':
			*to++ = '\\', *to++ = 'r';
			break;
		case '\\':
			*to++ = '\\', *to++ = '\\';
			break;
		default:
			to = put_hex(to, c);
		}
	}
	return to;
}

void mp_esc_add(struct mp_buf *to, struct mp_str raw, enum mp_esc where)
{
	mp_buf_reserve(to, 4 * raw.len + 1);
	to->len = mp_esc_put(to->p + to->len, raw, where) - to->p;
}

static int hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * Length of the escape at `p`, whose first byte is a backslash, or 0 if it is not an escape;
 * `*byte` gets the byte that it stands for.
 */
static size_t escape(const char *p, size_t len, char *byte)
{
	int high, low;

	if (len < 2)
		return 0;
	switch (p[1]) {
	case 't':
		*byte = '\t';
		return 2;
	case 'n':
		*byte = '\n';
		return 2;
	case 'r':
		*byte = '\r';
		return 2;
	case '\\':
		*byte = '\\';
		return 2;
	case 'x':
		if (len < 4)
			return 0;
		high = hex_digit(p[2]);
		low = hex_digit(p[3]);
		if (high < 0 || low < 0)
			return 0;
		*byte = (char)(high << 4 | low);
		return 4;
	}
	return 0;
}

int mp_esc_undo(struct mp_buf *to, struct mp_str text)
{
	size_t i = 0, n;

	mp_buf_reserve(to, text.len + 1);
	while (i < text.len) {
		char c = text.p[i];

		if (!(special[(unsigned char)c] & MP_ESC_VALUE)) {
			to->p[to->len++] = c;
			i++;
			continue;
		}
		n = c == '\\' ? escape(text.p + i, text.len - i, &c) : 0;
		if (n == 0)
			return -1;
		to->p[to->len++] = c;
		i += n;
	}
	return 0;
}

size_t mp_esc_next(const char *p, const char *end, char *byte)
{
	size_t n = *p == '\\' ? escape(p, end - p, byte) : 0;

	if (n)
		return n;
	*byte = *p;
	return 1;
}

int mp_esc_check(struct mp_str text)
{
	size_t i = 0, n;
	char byte;

	while (i < text.len) {
		unsigned char c = text.p[i];

		if (!(special[c] & MP_ESC_VALUE)) {
			i++;
			continue;
		}
		n = c == '\\' ? escape(text.p + i, text.len - i, &byte) : 0;
		if (n == 0)
			return -1;
		i += n;
	}
	return 0;
}

enum mp_mark mp_frame_mark(struct mp_str frame, struct mp_str *name)
{
	const char *end = frame.p + frame.len;
	enum mp_mark mark = MP_MARK_NONE;

	if (frame.len >= 4 && end[-4] == '_' && end[-3] == '[' && end[-1] == ']' &&
	    (end[-2] == 'k' || end[-2] == 'j' || end[-2] == 'i')) {
		mark = (enum mp_mark)end[-2];
		frame.len -= 4;
	}
	if (name)
		*name = frame;
	return mark;
}

static char *put_mark(char *to, enum mp_mark mark)
{
	to[0] = '_';
	to[1] = '[';
	to[2] = (char)mark;
	to[3] = ']';
	return to + 4;
}

/*
 * Adds a frame. Also escapes the two bytes of the name whose positions are in `at`; a position of
 * name.len means none.
 */
static char *put_frame(char *to, struct mp_str name, enum mp_mark mark, const size_t at[2])
{
	size_t bracket = mp_frame_mark(name, NULL) == MP_MARK_NONE ? name.len : name.len - 3;
	size_t i;

	if (bracket == name.len && at[0] == name.len && at[1] == name.len) {
		to = mp_esc_put(to, name, MP_ESC_FRAME);
		return mark == MP_MARK_NONE ? to : put_mark(to, mark);
	}
	for (i = 0; i < name.len; i++) {
		if (i == bracket || i == at[0] || i == at[1])
			to = put_hex(to, name.p[i]);
		else
			to = mp_esc_put(to, (struct mp_str){ name.p + i, 1 }, MP_ESC_FRAME);
	}
	return mark == MP_MARK_NONE ? to : put_mark(to, mark);
}

char *mp_frame_put(char *to, struct mp_str name, enum mp_mark mark)
{
	const size_t none[2] = { name.len, name.len };

	return put_frame(to, name, mark, none);
}

/*
 * Position of a byte that would make the text look like another line: {, or # or a comma after a
 * number.
 */
static size_t leading_byte(struct mp_str name)
{
	size_t n = 0;

	if (name.len && name.p[0] == '{')
		return 0;
	while (n < name.len && memchr("0123456789+-.eE", name.p[n], 15))
		n++;
	return n && n < name.len && (name.p[n] == '#' || name.p[n] == ',') ? n : name.len;
}

/*
 * Position of a blank that must be escaped: one at the end, or before digits and dots at the end.
 */
static size_t trailing_blank(struct mp_str name)
{
	size_t n = name.len;

	while (n && memchr("0123456789.", name.p[n - 1], 11))
		n--;
	return n && name.p[n - 1] == ' ' ? n - 1 : name.len;
}

char *mp_frame_put_folded(char *to, struct mp_str name, enum mp_mark mark)
{
	const size_t at[2] = {
		leading_byte(name),
		mark == MP_MARK_NONE ? trailing_blank(name) : name.len,
	};

	return put_frame(to, name, mark, at);
}

void mp_esc_terminal(struct mp_buf *to, struct mp_str text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		unsigned char c = text.p[i], next = i + 1 < text.len ? text.p[i + 1] : 0;
		char hex[8];

		if (c == 0xc2 && next >= 0x80 && next <= 0x9f) {
			mp_buf_add(to, hex, put_hex(put_hex(hex, c), next) - hex);
			i++;
		} else if (c < 0x20 || c == 0x7f) {
			mp_buf_add(to, hex, put_hex(hex, c) - hex);
		} else {
			mp_buf_byte(to, c);
		}
	}
}

struct mp_str mp_esc_decode(struct mp_buf *hold, struct mp_str text)
{
	const char *p = text.p, *end = p + text.len;

	if (!text.len || !memchr(p, '\\', text.len))
		return text;
	hold->len = 0;
	while (p < end) {
		char byte;

		p += mp_esc_next(p, end, &byte);
		mp_buf_byte(hold, byte);
	}
	return mp_buf_view(hold);
}
