// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/esc.h"

#include "lib/stream/named.h"

enum {
	ALWAYS = MP_ESC_VALUE | MP_ESC_FRAME | MP_ESC_TYPE,
	ID_DIGITS = 8, /* of the build id, in the id of a module */
};

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
	size_t i, paren = 0;

	if (where == MP_ESC_VALUE && raw.len && raw.p[raw.len - 1] == ')')
		paren = mp_named_paren(raw);
	for (i = 0; i < raw.len; i++) {
		unsigned char c = raw.p[i];

		if (!(special[c] & where) && (!paren || i != paren)) {
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
 * The length of the id at the end of a module: a colon with ID_DIGITS hexadecimal digits or a
 * hyphen; 0: there is none.
 */
static size_t id_at_end(struct mp_str s)
{
	size_t i;

	if (s.len >= 2 && s.p[s.len - 1] == '-' && s.p[s.len - 2] == ':')
		return 2;
	if (s.len <= ID_DIGITS || s.p[s.len - ID_DIGITS - 1] != ':')
		return 0;
	for (i = s.len - ID_DIGITS; i < s.len; i++)
		if (hex_digit(s.p[i]) < 0)
			return 0;
	return ID_DIGITS + 1;
}

bool mp_frame_place(struct mp_str *frame, struct mp_place *place)
{
	size_t id = id_at_end(*frame), digits;
	const char *at = id ? memrchr(frame->p, '@', frame->len - id) : NULL, *p = at;
	uint64_t offset = 0;

	while (p && p > frame->p && hex_digit(p[-1]) >= 0)
		p--;
	digits = p ? (size_t)(at - p) : 0;
	if (digits == 0 || digits > 16 || p - frame->p < 3 || memcmp(p - 3, "+0x", 3) != 0)
		return false;
	for (; p < at && place; p++)
		offset = offset << 4 | (uint64_t)hex_digit(*p);
	if (place)
		*place = (struct mp_place){ offset, mp_str_skip(*frame, at + 1 - frame->p) };
	frame->len = at - digits - 3 - frame->p;
	return true;
}

size_t mp_frame_strip(char *frames, size_t len)
{
	const char *p = frames, *end = frames + len, *semicolon;
	char *to = frames;

	for (;; p = semicolon + 1) {
		struct mp_str name;

		semicolon = memchr(p, ';', end - p);
		if (!semicolon)
			semicolon = end;
		mp_frame_mark((struct mp_str){ p, semicolon - p }, &name);
		p += name.len;
		mp_frame_place(&name, NULL);
		memmove(to, name.p, name.len);
		to += name.len;
		memmove(to, p, semicolon - p); /* the mark */
		to += semicolon - p;
		if (semicolon == end)
			return to - frames;
		*to++ = ';';
	}
}

char *mp_frame_put_place(char *to, const struct mp_place *place)
{
	*to++ = '+';
	to = mp_put_hex(to, place->offset);
	*to++ = '@';
	memcpy(to, place->module.p, place->module.len);
	return to + place->module.len;
}

char *mp_frame_put_module(char *to, struct mp_str name, struct mp_str id)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		to = name.p[i] == '@'
			     ? put_hex(to, '@')
			     : mp_esc_put(to, (struct mp_str){ name.p + i, 1 }, MP_ESC_FRAME);
	*to++ = ':';
	if (id.len < ID_DIGITS)
		id = (struct mp_str){ "-", 1 };
	id.len = MP_MIN(id.len, ID_DIGITS);
	memcpy(to, id.p, id.len);
	return to + id.len;
}

/* Position of the @ of a name that ends like a place; name.len: it does not. */
static size_t at_sign(struct mp_str name)
{
	struct mp_place place;
	struct mp_str rest = name;

	return mp_frame_place(&rest, &place) ? (size_t)(place.module.p - 1 - name.p) : name.len;
}

/*
 * Adds a frame. Also escapes the two bytes of the name whose positions are in `at`; a position of
 * name.len means none.
 */
static char *put_frame(char *to, const struct mp_frame *frame, const size_t at[2])
{
	struct mp_str name = frame->name;
	size_t bracket = mp_frame_mark(name, NULL) == MP_MARK_NONE ? name.len : name.len - 3;
	size_t sign = at_sign(name), i;

	if (bracket == name.len && sign == name.len && at[0] == name.len && at[1] == name.len) {
		to = mp_esc_put(to, name, MP_ESC_FRAME);
		name.len = 0;
	}
	for (i = 0; i < name.len; i++) {
		if (i == bracket || i == sign || i == at[0] || i == at[1])
			to = put_hex(to, name.p[i]);
		else
			to = mp_esc_put(to, (struct mp_str){ name.p + i, 1 }, MP_ESC_FRAME);
	}
	if (frame->place.len)
		memcpy(to, frame->place.p, frame->place.len);
	to += frame->place.len;
	return frame->mark == MP_MARK_NONE ? to : put_mark(to, frame->mark);
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

char *mp_frame_write(char *to, const struct mp_frame *frame, bool folded)
{
	const size_t len = frame->name.len;
	const size_t at[2] = {
		folded ? leading_byte(frame->name) : len,
		folded && frame->mark == MP_MARK_NONE ? trailing_blank(frame->name) : len,
	};

	return put_frame(to, frame, at);
}

char *mp_frame_put(char *to, struct mp_str name, enum mp_mark mark)
{
	return mp_frame_write(to, &(struct mp_frame){ .name = name, .mark = mark }, false);
}

char *mp_frame_put_folded(char *to, struct mp_str name, enum mp_mark mark)
{
	return mp_frame_write(to, &(struct mp_frame){ .name = name, .mark = mark }, true);
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
