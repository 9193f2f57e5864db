// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/json.h"

#include <math.h>

struct reader {
	struct mp_import *im;
	const struct mp_import_path *paths;
	size_t n_paths;
	void *arg;
	struct mp_buf path;  /* of the current value */
	struct mp_buf value; /* its text */
	const char *p, *end; /* unread bytes */
	size_t taken;	     /* bytes before p in the input's buffer */
	bool failed;
};

static void fail(struct reader *r, const char *why)
{
	if (!r->failed)
		mp_import_bad(r->im, why);
	r->failed = true;
	r->im->truncated = true;
}

/* Reads on if no byte is unread. Returns false at the end of the input. */
static bool fill(struct reader *r)
{
	const char *data;
	size_t n;

	if (r->p == r->end && !r->failed) {
		mp_in_skip(&r->im->in, r->taken);
		n = mp_in_peek(&r->im->in, 1, &data);
		r->p = data;
		r->end = data + n;
		r->taken = n;
	}
	return r->p < r->end;
}

/* The next byte, which stays unread; -1 at the end of the input. */
static int look(struct reader *r)
{
	if (!fill(r)) {
		fail(r, "the JSON ends early");
		return -1;
	}
	return (unsigned char)*r->p;
}

/* The next byte that is not white space, which stays unread. */
static int look_on(struct reader *r)
{
	int c;

	while ((c = look(r)) == ' ' || c == '\n' || c == '\t' || c == '\r') {
		r->im->in.line += c == '\n';
		r->p++;
	}
	return c;
}

static void put(struct mp_buf *to, char c)
{
	if (to && to->len <= MP_LINE_MAX)
		mp_buf_byte(to, c);
}

/* Reads a string with its quotes to `to`, which may be NULL. */
static void string(struct reader *r, struct mp_buf *to)
{
	bool escaped = false;
	int c;

	put(to, '"');
	r->p++;
	while ((c = look(r)) >= 0 && (c != '"' || escaped)) {
		escaped = c == '\\' && !escaped;
		put(to, (char)c);
		r->p++;
	}
	put(to, '"');
	if (c >= 0)
		r->p++;
}

/* Reads a value to `to`, which may be NULL; its brackets are only counted. */
static void scan(struct reader *r, struct mp_buf *to)
{
	size_t depth = 0;
	int c = look_on(r);

	do {
		if (c < 0)
			return;
		if (c == '"') {
			string(r, to);
		} else if (!depth && (c == ',' || c == ']' || c == '}')) {
			fail(r, "not JSON: a value is missing");
			return;
		} else {
			depth += c == '[' || c == '{';
			depth -= c == ']' || c == '}';
			r->im->in.line += c == '\n';
			put(to, (char)c);
			r->p++;
			if (!depth && c != ']' && c != '}') {
				/* a number or a name */
				while ((c = look(r)) >= 0 && !strchr(", \n\t\r]}", c)) {
					put(to, (char)c);
					r->p++;
				}
				return;
			}
		}
		if (depth)
			c = look(r);
	} while (depth);
}

/* The row of a path; `within`: one that begins with it. */
static const struct mp_import_path *find(const struct reader *r, bool within)
{
	struct mp_str path = mp_buf_view(&r->path);
	size_t i;

	for (i = 0; i < r->n_paths; i++) {
		struct mp_str known = mp_str(r->paths[i].path);

		if (within ? mp_str_starts(known, path) && known.len > path.len
			   : mp_str_eq(known, path))
			return &r->paths[i];
	}
	return NULL;
}

static void take(struct reader *r, const struct mp_import_path *row)
{
	json_t *value = NULL;
	int64_t n;

	r->value.len = 0;
	scan(r, &r->value);
	if (r->failed)
		return;
	if (r->value.len > MP_LINE_MAX) {
		mp_import_bad(r->im, "a value has more than 1 MiB");
		return;
	}
	if (mp_num_i64(mp_buf_view(&r->value), &n) == 0)
		value = json_integer(n);
	else
		value = json_loadb(r->value.p, r->value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
				   NULL);
	if (value)
		row->take(r->arg, value);
	else
		mp_import_bad(r->im, "not JSON");
	json_decref(value);
}

static void value(struct reader *r);

/* Reads the key of a member and adds it to the path. */
static void key(struct reader *r)
{
	size_t start = r->path.len;

	if (look_on(r) != '"') {
		fail(r, "not JSON: a key is missing");
		return;
	}
	string(r, &r->path);
	if (r->path.len > start + 1)
		r->path.len--;
	r->path.p[start] = '.'; /* instead of the quote */
	if (look_on(r) == ':')
		r->p++;
	else
		fail(r, "not JSON: a colon is missing");
}

/* Reads the members of an object, or the elements of an array, of which some are wanted. */
static void descend(struct reader *r, bool object)
{
	const struct mp_import_path *row;
	size_t path = r->path.len;
	char close = object ? '}' : ']';
	int c;

	r->p++;
	if (look_on(r) == close)
		r->p++;
	else
		do {
			if (object)
				key(r);
			else
				mp_buf_add(&r->path, "[]", 2);
			if (!r->failed)
				value(r);
			r->path.len = path;
			c = r->failed ? -1 : look_on(r);
			if (c >= 0 && c != ',' && c != close)
				fail(r, "not JSON: a comma is missing");
			if (r->failed)
				return;
			r->p++;
			/* Chrome's writers may end an array with a comma */
		} while (c == ',' && (object || look_on(r) != ']' || (r->p++, false)));
	mp_buf_byte(&r->path, '}');
	row = find(r, false);
	r->path.len = path;
	if (row)
		row->take(r->arg, NULL);
}

static void value(struct reader *r)
{
	const struct mp_import_path *row = find(r, false);
	int c = look_on(r);

	if (row)
		take(r, row);
	else if ((c == '{' || c == '[') && find(r, true))
		descend(r, c == '{');
	else
		scan(r, NULL);
}

/* Only white space may follow the value. */
static void end(struct reader *r)
{
	uint64_t line = r->im->in.line;

	for (; !r->failed && fill(r); r->p++) {
		line += *r->p == '\n';
		if (memchr(" \n\t\r", *r->p, 4))
			continue;
		r->im->in.line = line;
		fail(r, "data after the end of the JSON");
	}
}

void mp_import_json(struct mp_import *im, const struct mp_import_path *paths, size_t n, void *arg)
{
	struct reader r = { .im = im, .paths = paths, .n_paths = n, .arg = arg };

	im->in.line = 1;
	mp_buf_reserve(&r.path, 1);
	value(&r);
	end(&r);
	mp_in_skip(&im->in, r.taken - (size_t)(r.end - r.p));
	mp_buf_release(&r.path);
	mp_buf_release(&r.value);
}

struct mp_str mp_import_json_text(const json_t *text)
{
	if (!json_is_string(text))
		return MP_STR("");
	return (struct mp_str){ json_string_value(text), json_string_length(text) };
}

int64_t mp_import_json_scaled(const json_t *number, double scale)
{
	double v;

	if (json_is_integer(number) && scale == 1)
		return json_integer_value(number);
	v = round(json_number_value(number) * scale);
	return v > -9e18 && v < 9e18 ? (int64_t)v : 0;
}
