// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/calls.h"

#include <stdlib.h>

#include "lib/import/printed.h"

enum { BYTES_MAX = 16 << 20, TASKS_MAX = 65536, ERRNO_MAX = 134 };

/* Of a task: where its text is, and whether its call has not ended. */
struct begun {
	size_t index;
	bool open;
};

void mp_import_calls_init(struct mp_import_calls *c)
{
	*c = (struct mp_import_calls){ .n = 0 };
	mp_map_init(&c->begun, sizeof(struct begun));
}

static void forget(struct mp_import_calls *c)
{
	while (c->n)
		mp_buf_release(&c->texts[--c->n]);
	c->bytes = c->n_open = 0;
	mp_map_clear(&c->begun);
}

void mp_import_calls_release(struct mp_import_calls *c, struct mp_import *im)
{
	for (c->replaced += c->n_open; c->replaced; c->replaced--)
		mp_import_skip(im, MP_STR("unfinished-calls"));
	forget(c);
	free(c->texts);
	mp_map_release(&c->begun);
}

void mp_import_calls_keep(struct mp_import_calls *c, struct mp_str task, struct mp_str text)
{
	struct mp_buf *kept;
	struct begun *begun;
	bool fresh;

	if (c->bytes + text.len > BYTES_MAX || c->n == TASKS_MAX)
		forget(c);
	begun = mp_map_value(mp_map_put(&c->begun, &task, 1, &fresh));
	if (fresh) {
		if (c->n == c->cap)
			c->texts = mp_grow(c->texts, &c->cap, c->n + 1, sizeof(*c->texts));
		begun->index = c->n;
		c->texts[c->n++] = (struct mp_buf){ NULL, 0, 0 };
	}
	c->replaced += begun->open;
	c->n_open += !begun->open;
	begun->open = true;
	kept = &c->texts[begun->index];
	c->bytes -= kept->cap;
	kept->len = 0;
	mp_buf_str(kept, text);
	c->bytes += kept->cap;
}

struct mp_str mp_import_calls_take(struct mp_import_calls *c, struct mp_str task)
{
	struct mp_map_entry *e = mp_map_find(&c->begun, &task, 1);
	struct begun *begun = e ? mp_map_value(e) : NULL;

	if (!begun || !begun->open)
		return MP_STR("");
	begun->open = false;
	c->n_open--;
	return mp_buf_view(&c->texts[begun->index]);
}

/* Where a text in quotes ends that begins at i. */
static size_t after_quote(struct mp_str s, size_t i)
{
	for (i++; i < s.len && s.p[i] != '"'; i++)
		if (s.p[i] == '\\')
			i++;
	return i;
}

size_t mp_import_arguments(struct mp_str s)
{
	size_t depth = 0, i;

	for (i = 0; i < s.len; i++) {
		switch (s.p[i]) {
		case '"':
			i = after_quote(s, i);
			break;
		case '<':
			if (i && mp_import_digit(s.p[i - 1]) && i + 1 < s.len && s.p[i + 1] != '<')
				while (i < s.len && s.p[i] != '>')
					i++;
			break;
		case '(':
			depth++;
			break;
		case ')':
			if (!depth--)
				return i;
			break;
		}
	}
	return s.len;
}

size_t mp_import_call_name(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && (mp_import_letter(s.p[n]) || mp_import_digit(s.p[n]) || s.p[n] == '_' ||
			     s.p[n] == ':'))
		n++;
	return n < s.len && n && mp_import_letter(*s.p) && s.p[n] == '(' ? n : 0;
}

static int error_of(struct mp_str name)
{
	int i;

	for (i = 1; i < ERRNO_MAX; i++) {
		const char *known = strerrorname_np(i);

		if (known && mp_str_eq(name, mp_str(known)))
			return i;
	}
	return 0;
}

void mp_import_result(struct mp_import *im, struct mp_str text)
{
	struct mp_str value = text, rest;
	int64_t n;
	int error;

	value.len = MP_MIN(mp_import_find(text, " "), mp_import_find(text, "<"));
	rest = mp_import_trim(mp_str_skip(text, value.len));
	rest.len = mp_import_find(rest, " ");
	error = rest.len > 1 && *rest.p == 'E' && rest.len < 32 ? error_of(rest) : 0;
	if (error) {
		mp_import_named(im, ".ret", -error, rest);
	} else if (mp_str_starts(value, MP_STR("0x")) && mp_import_is_hex(value)) {
		mp_import_hex(im, ".ret", mp_str_skip(value, 2));
	} else if (mp_num_i64(value, &n) == 0) {
		mp_import_integer(im, ".ret", n);
	} else if (rest.len && *rest.p == 'E') {
		mp_import_field(im, ".ret", rest);
	}
}
