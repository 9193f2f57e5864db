// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/rec.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/stream/esc.h"
#include "lib/stream/named.h"

const char *mp_kind_name(enum mp_kind kind)
{
	switch (kind) {
	case MP_CONTROL:
		return "control line";
	case MP_EVENT:
		return "event";
	case MP_POINT:
		return "point";
	case MP_STACK:
		return "stack";
	case MP_FOLDED:
	case MP_DATA:
		return "folded text";
	}
	return "line";
}

static bool is_alpha(unsigned char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/* TIME "," TYPE "," fields; `comma` is the first one. */
static int parse_event(struct mp_rec *rec, const char *comma, const char **why)
{
	const char *end = rec->line.p + rec->line.len, *second;

	rec->kind = MP_EVENT;
	rec->time = (struct mp_str){ rec->line.p, comma - rec->line.p };
	if (mp_num_u64(rec->time, &rec->time_ns) < 0 || rec->time_ns > INT64_MAX)
		return fail(why, "time is not a number of ns");
	second = memchr(comma + 1, ',', end - comma - 1);
	if (!second)
		return fail(why, "event without a second comma");
	rec->type = (struct mp_str){ comma + 1, second - comma - 1 };
	rec->body = (struct mp_str){ second + 1, end - second - 1 };
	return 0;
}

/*
 * Parses a number of at most 15 digits without exponent, up to its comma, in one pass: the quotient
 * of two exact doubles is what strtod() gives. Returns NULL if it has another form, or is not a
 * number.
 */
static inline const char *quick_decimal(const char *p, const char *end, double *v)
{
	static const double tens[] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,	 1e6,  1e7,
				       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	const char *begin = p, *point = NULL;
	uint64_t digits = 0;
	unsigned digit;

	for (; p < end && p - begin <= 16; p++) {
		digit = (unsigned char)*p - '0';
		if (digit <= 9)
			digits = digits * 10 + digit;
		else if (*p == '.' && !point)
			point = p;
		else
			break;
	}
	if (p == end || *p != ',' || p - begin - !!point > 15 || p == begin || point == p - 1)
		return NULL;
	*v = point ? (double)digits / tens[p - point - 1] : (double)digits;
	return p;
}

/* Parses "X,Y,INFO". `has_x`: rec->x is set already. */
static int parse_point(struct mp_rec *rec, const char *comma, bool has_x, const char **why)
{
	const char *end = rec->line.p + rec->line.len, *second;

	rec->kind = MP_POINT;
	rec->x = (struct mp_str){ rec->line.p, comma - rec->line.p };
	if (!has_x && quick_decimal(rec->x.p, end, &rec->x_value) != comma &&
	    mp_num_decimal(rec->x, &rec->x_value) < 0)
		return fail(why, "x is not a number");
	second = quick_decimal(comma + 1, end, &rec->y_value);
	if (second) {
		rec->y = (struct mp_str){ comma + 1, second - comma - 1 };
		rec->body = (struct mp_str){ second + 1, end - second - 1 };
		return 0;
	}
	second = memchr(comma + 1, ',', end - comma - 1);
	if (!second)
		return fail(why, "point without a second comma");
	rec->y = (struct mp_str){ comma + 1, second - comma - 1 };
	rec->body = (struct mp_str){ second + 1, end - second - 1 };
	if (mp_num_decimal(rec->y, &rec->y_value) < 0)
		return fail(why, "y is not a number");
	return 0;
}

static int parse_stack(struct mp_rec *rec, const char *hash, const char **why)
{
	const char *end = rec->line.p + rec->line.len;

	rec->kind = MP_STACK;
	rec->body = (struct mp_str){ hash + 1, end - hash - 1 };
	if (mp_num_i64((struct mp_str){ rec->line.p, hash - rec->line.p }, &rec->weight) < 0)
		return fail(why, "weight is not a whole number");
	return 0;
}

static int parse_folded(struct mp_rec *rec, const char **why)
{
	const char *end = rec->line.p + rec->line.len;
	const char *blank = memrchr(rec->line.p, ' ', rec->line.len);

	rec->kind = MP_FOLDED;
	if (!blank)
		return fail(why, "not an event, a point, a stack or folded text");
	rec->body = (struct mp_str){ rec->line.p, blank - rec->line.p };
	if (mp_num_i64((struct mp_str){ blank + 1, end - blank - 1 }, &rec->weight) < 0)
		return fail(why, "weight is not a whole number");
	return 0;
}

static const bool in_number[256] = {
	['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true,
	['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true,
	['+'] = true, ['-'] = true, ['.'] = true, ['e'] = true, ['E'] = true,
};

int mp_rec_parse(struct mp_rec *rec, const char *text, size_t len, const char **why)
{
	const char *p = text, *end = text + len, *comma;

	rec->line = (struct mp_str){ text, len };
	rec->host = (struct mp_str){ NULL, 0 };
	if (len == 0)
		return fail(why, "empty line");
	if (end[-1] == '\r')
		return fail(why, "carriage return at the end of the line");
	if (*text == '{') {
		rec->kind = MP_CONTROL;
		rec->body = rec->line;
		return 0;
	}
	while (p < end && (unsigned char)(*p - '0') <= 9)
		p++;
	if (p < end && *p == '.' && (comma = quick_decimal(text, end, &rec->x_value)) &&
	    (comma + 1 == end || !is_alpha(comma[1])))
		return parse_point(rec, comma, true, why);
	while (p < end && in_number[(unsigned char)*p])
		p++;
	if (p == end || p == text || (*p != ',' && *p != '#'))
		return parse_folded(rec, why);
	if (*p == '#')
		return parse_stack(rec, p, why);
	if (p + 1 < end && is_alpha(p[1]))
		return parse_event(rec, p, why);
	return parse_point(rec, p, false, why);
}

bool mp_rec_next_field(struct mp_str *rest, struct mp_str *key, struct mp_str *value)
{
	const char *end = rest->p + rest->len, *tab, *eq;

	if (rest->len == 0)
		return false;
	tab = memchr(rest->p, '\t', rest->len);
	if (!tab)
		tab = end;
	eq = memchr(rest->p, '=', tab - rest->p);
	if (!eq)
		eq = tab;
	*key = (struct mp_str){ rest->p, eq - rest->p };
	*value = (struct mp_str){ eq < tab ? eq + 1 : tab, eq < tab ? tab - eq - 1 : 0 };
	*rest = (struct mp_str){ tab < end ? tab + 1 : end, tab < end ? end - tab - 1 : 0 };
	return true;
}

bool mp_rec_next_frame(struct mp_str *rest, struct mp_str *frame)
{
	const char *semicolon;

	if (!rest->p)
		return false;
	semicolon = memchr(rest->p, ';', rest->len);
	if (!semicolon) {
		*frame = *rest;
		rest->p = NULL;
		return true;
	}
	*frame = (struct mp_str){ rest->p, semicolon - rest->p };
	rest->len -= frame->len + 1;
	rest->p = semicolon + 1;
	return true;
}

int mp_field_parse(struct mp_field *f, struct mp_str name)
{
	static const char *const ids[] = { "time", "type", "stack", "x", "y", "info", "weight" };
	size_t i = 0;

	*f = (struct mp_field){ .id = MP_FIELD_KEY, .name = name };
	for (i = 0; i < MP_ARRAY_SIZE(ids); i++)
		if (mp_str_eq(name, mp_str(ids[i])))
			f->id = (enum mp_field_id)i;
	i = name.len && name.p[0] == '.';
	if (i == name.len || name.len > 127 || (!is_alpha(name.p[i]) && name.p[i] != '_'))
		return -1;
	for (; i < name.len; i++)
		if (!is_alpha(name.p[i]) && !isdigit((unsigned char)name.p[i]) && name.p[i] != '_')
			return -1;
	return 0;
}

int mp_fields_parse(struct mp_fields *fields, const char *list, struct mp_str *bad)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		struct mp_field f;

		if (mp_field_parse(&f, (struct mp_str){ list, len }) < 0) {
			*bad = (struct mp_str){ list, len };
			return -1;
		}
		fields->v = mp_grow(fields->v, &fields->cap, fields->n + 1, sizeof(f));
		fields->v[fields->n++] = f;
		list += len + (list[len] == ',');
	}
	return 0;
}

void mp_fields_release(struct mp_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		mp_field_release(&fields->v[i]);
	free(fields->v);
	*fields = (struct mp_fields){ NULL, 0, 0 };
}

bool mp_rec_stack(const struct mp_rec *rec, struct mp_str *frames)
{
	struct mp_str body = rec->body;
	const char *tab;

	if (rec->kind == MP_STACK || rec->kind == MP_FOLDED) {
		*frames = body;
		return true;
	}
	if (rec->kind != MP_EVENT || body.len < 6)
		return false;
	tab = memrchr(body.p, '\t', body.len);
	if (tab) {
		body.len -= tab + 1 - body.p;
		body.p = tab + 1;
	}
	if (body.len < 6 || memcmp(body.p, "stack=", 6) != 0)
		return false;
	*frames = (struct mp_str){ body.p + 6, body.len - 6 };
	return true;
}

static bool get_key(struct mp_str rest, struct mp_str name, struct mp_str *value)
{
	struct mp_str key;

	while (mp_rec_next_field(&rest, &key, value))
		if (key.len == name.len && memcmp(key.p, name.p, name.len) == 0)
			return true;
	return false;
}

bool mp_rec_host(const struct mp_rec *rec, struct mp_str name, struct mp_str *value)
{
	if (!rec->host.p || !mp_str_eq(name, MP_STR("host")))
		return false;
	*value = rec->host;
	return true;
}

static bool compute(const struct mp_rec *rec, struct mp_computed *c, struct mp_str *value)
{
	struct mp_number n;

	if (c->number(c, rec, &n) < 1)
		return false;
	*value = (struct mp_str){ c->text, mp_number_put(c->text, &n) - c->text };
	return true;
}

bool mp_rec_get(const struct mp_rec *rec, const struct mp_field *f, struct mp_str *value)
{
	switch (f->id) {
	case MP_FIELD_TIME:
		*value = rec->time;
		return rec->kind == MP_EVENT;
	case MP_FIELD_TYPE:
		*value = rec->type;
		return rec->kind == MP_EVENT;
	case MP_FIELD_X:
		*value = rec->x;
		return rec->kind == MP_POINT;
	case MP_FIELD_Y:
		*value = rec->y;
		return rec->kind == MP_POINT;
	case MP_FIELD_INFO:
		*value = rec->body;
		return rec->kind == MP_POINT;
	case MP_FIELD_STACK:
		return mp_rec_stack(rec, value);
	case MP_FIELD_WEIGHT:
		if (rec->kind == MP_STACK)
			*value = (struct mp_str){ rec->line.p, rec->body.p - 1 - rec->line.p };
		else if (rec->kind == MP_FOLDED)
			*value = (struct mp_str){ rec->body.p + rec->body.len + 1,
						  rec->line.len - rec->body.len - 1 };
		else
			break;
		return true;
	case MP_FIELD_COMPUTED:
		return compute(rec, f->computed, value);
	case MP_FIELD_KEY:
		break;
	}
	return (rec->kind == MP_EVENT && get_key(rec->body, f->name, value)) ||
	       mp_rec_host(rec, f->name, value);
}

bool mp_rec_name(const struct mp_rec *rec, const struct mp_field *f, struct mp_str *value)
{
	if (!mp_rec_get(rec, f, value))
		return false;
	if (f->id == MP_FIELD_KEY)
		*value = mp_named_name(*value);
	return true;
}

size_t mp_rec_names(const struct mp_rec *rec, const struct mp_fields *fields, struct mp_str *values)
{
	struct mp_str rest = rec->body, key, value;
	size_t found = 0, keys = 0, i;

	for (i = 0; i < fields->n; i++) {
		values[i].p = NULL;
		if (fields->v[i].id == MP_FIELD_KEY)
			keys++;
		else if (mp_rec_get(rec, &fields->v[i], &values[i]))
			found++;
		else
			values[i].p = NULL;
	}
	if (rec->kind != MP_EVENT)
		rest.len = 0;
	while (keys && mp_rec_next_field(&rest, &key, &value)) {
		for (i = 0; i < fields->n; i++) {
			if (fields->v[i].id != MP_FIELD_KEY || values[i].p ||
			    !mp_str_eq(fields->v[i].name, key))
				continue;
			values[i] = mp_named_name(value);
			found++;
			keys--;
			break;
		}
	}
	for (i = 0; keys && i < fields->n; i++)
		if (fields->v[i].id == MP_FIELD_KEY && !values[i].p)
			found += mp_rec_host(rec, fields->v[i].name, &values[i]);
	return found;
}

/* The names of the fields of an event. */
struct names {
	struct mp_str few[32], *v; /* v points to `few` or to the heap */
	size_t n, cap;
};

static void add_name(struct names *names, struct mp_str name)
{
	struct mp_str *few = names->v == names->few ? names->v : NULL;

	if (names->n == names->cap) {
		names->cap *= 2;
		names->v = mp_realloc(few ? NULL : names->v, names->cap * sizeof(*names->v));
		if (few)
			memcpy(names->v, few, names->n * sizeof(*few));
	}
	names->v[names->n++] = name;
}

static int compare_names(const void *a, const void *b)
{
	return mp_str_cmp(*(const struct mp_str *)a, *(const struct mp_str *)b);
}

/* Whether a name occurs twice; changes their order. */
static bool has_double(struct names *names)
{
	size_t i, k;

	if (names->n > MP_ARRAY_SIZE(names->few)) {
		qsort(names->v, names->n, sizeof(*names->v), compare_names);
		for (i = 1; i < names->n; i++)
			if (mp_str_eq(names->v[i - 1], names->v[i]))
				return true;
		return false;
	}
	for (i = 1; i < names->n; i++)
		for (k = 0; k < i; k++)
			if (mp_str_eq(names->v[k], names->v[i]))
				return true;
	return false;
}

static int check_each_field(const struct mp_rec *rec, struct names *names, const char **why)
{
	struct mp_str rest = rec->body, key, value;
	struct mp_field f;
	bool last = false;

	while (rest.len) {
		size_t before = rest.len;

		mp_rec_next_field(&rest, &key, &value);
		if (last)
			return fail(why, "stack is not the last field");
		if (mp_field_parse(&f, key) < 0)
			return fail(why, "bad field name");
		if (key.p + key.len == value.p)
			return fail(why, "field without '='");
		if (mp_esc_check(value) < 0)
			return fail(why, "bad escape or control byte in a value");
		if (rest.len == 0 && before > (size_t)(value.p + value.len - key.p))
			return fail(why, "TAB at the end of the line");
		add_name(names, key);
		last = f.id == MP_FIELD_STACK;
	}
	return 0;
}

static int check_fields(const struct mp_rec *rec, const char **why)
{
	struct names names = { .cap = MP_ARRAY_SIZE(names.few) };
	int result;

	names.v = names.few;
	result = check_each_field(rec, &names, why);
	if (result == 0 && has_double(&names))
		result = fail(why, "field twice");
	if (names.v != names.few)
		free(names.v);
	return result;
}

static bool weight_is_canonical(const struct mp_rec *rec)
{
	struct mp_str digits;

	mp_rec_get(rec, &(struct mp_field){ .id = MP_FIELD_WEIGHT }, &digits);
	if (digits.len && (*digits.p == '-' || *digits.p == '+')) {
		digits.p++;
		digits.len--;
	}
	return digits.len <= 19;
}

int mp_rec_check(const struct mp_rec *rec, const char **why)
{
	switch (rec->kind) {
	case MP_EVENT:
		if (rec->time.len > 1 && rec->time.p[0] == '0')
			return fail(why, "time with leading zeros");
		if (rec->type.len > 255)
			return fail(why, "type longer than 255 bytes");
		if (memchr(rec->type.p, ' ', rec->type.len) || mp_esc_check(rec->type) < 0)
			return fail(why, "bad escape, blank or control byte in the type");
		return check_fields(rec, why);
	case MP_POINT:
		if (mp_esc_check(rec->body) < 0)
			return fail(why, "bad escape or control byte in a label");
		return 0;
	case MP_STACK:
	case MP_FOLDED:
		if (!weight_is_canonical(rec))
			return fail(why, "weight with leading zeros");
		if (mp_esc_check(rec->body) < 0)
			return fail(why, "bad escape or control byte in a frame");
		return 0;
	case MP_CONTROL:
	case MP_DATA:
		return 0;
	}
	return 0;
}

int mp_rec_number(const struct mp_rec *rec, const struct mp_field *f, double *v)
{
	struct mp_number n;
	struct mp_str text;
	int64_t whole;
	int got;

	if (f->id == MP_FIELD_COMPUTED) {
		got = f->computed->number(f->computed, rec, &n);
		*v = got == 1 ? mp_number_real(&n) : 0;
		return got;
	}
	if (rec->kind == MP_EVENT && f->id == MP_FIELD_TIME) {
		*v = (double)rec->time_ns;
		return 1;
	}
	if (rec->kind == MP_POINT && (f->id == MP_FIELD_X || f->id == MP_FIELD_Y)) {
		*v = f->id == MP_FIELD_X ? rec->x_value : rec->y_value;
		return 1;
	}
	if (!mp_rec_get(rec, f, &text))
		return 0;
	text = mp_named_number(text);
	if (mp_num_any(text, &whole) == 0) {
		*v = (double)whole;
		return 1;
	}
	return mp_num_decimal(text, v) == 0 ? 1 : -1;
}

struct mp_field mp_field_counter(struct mp_str type)
{
	static const struct mp_field value = MP_FIELD_OF(KEY, ".value"),
				     bytes = MP_FIELD_OF(KEY, ".bytes");

	if (mp_str_starts(type, MP_STR("stat:")))
		return value;
	if (mp_str_starts(type, MP_STR("mem:")))
		return bytes;
	return (struct mp_field){ .name = { NULL, 0 } };
}
