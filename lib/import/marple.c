// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data files of MARPLE (github.com/ensoft/marple, marple/common/data_io.py), in all three forms:
 *
 *	since 09/2018  a metaheader, then sections: a header, lines with $$$ between their parts, an
 *		       empty line. Events are TIME$$$TYPE$$$DICT$$$CONNECTED in Python's notation
 *	before	       one header, events TIME$$$TYPE$$$TUPLE or TIME#TYPE#TUPLE, stacks
 *		       WEIGHT#FRAME;FRAME, points X,Y,INFO
 *	at first       events TIME,TYPE,TRACK,LABEL, stacks WEIGHT,FRAME;FRAME
 *
 * Times are in us, as its collectors write them, though data_io.py says ns.
 */
#include "lib/import/format.h"
#include "lib/stream/esc.h"

enum { PARTS_MAX = 64, PAIRS_MAX = 64, UNIT_NS = 1000 };

struct marple {
	struct mp_import *im;
	enum mp_kind datatype; /* datatype of the latest header; 0: there was none */
	/* scratch: an element in Python's notation, without quotes and escapes */
	struct mp_buf text;
};

struct pair {
	/* name of the field, with the leading dot unless it is a context field */
	char key[72];
	struct mp_str value; /* raw, owned by the line or the arena */
};

struct pairs {
	struct pair v[PAIRS_MAX];
	size_t n;
	struct mp_arena arena;
};

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/* Splits s at separators into at most `max` parts; the last one is the rest. */
static size_t split(struct mp_str s, const char *separator, struct mp_str *parts, size_t max)
{
	size_t n = 0, at;

	while (n + 1 < max && (at = mp_import_find(s, separator)) < s.len) {
		parts[n++] = (struct mp_str){ s.p, at };
		s = mp_str_skip(s, at + strlen(separator));
	}
	parts[n++] = s;
	return n;
}

/* --- Python's notation ------------------------------------------------------------------------ */

static int hex_digit(char c)
{
	if (mp_import_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses a string in quotes at the beginning of *s into *to; false if the quote is not closed. */
static bool parse_string(struct mp_str *s, struct mp_buf *to)
{
	char quote = *s->p, c;
	size_t i;

	to->len = 0;
	for (i = 1; i < s->len && s->p[i] != quote; i++) {
		c = s->p[i];
		if (c == '\\' && i + 1 < s->len) {
			c = s->p[++i];
			if (c == 'x' && i + 2 < s->len && hex_digit(s->p[i + 1]) >= 0 &&
			    hex_digit(s->p[i + 2]) >= 0) {
				c = (char)(hex_digit(s->p[i + 1]) << 4 | hex_digit(s->p[i + 2]));
				i += 2;
			} else {
				c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
			}
		}
		mp_buf_byte(to, c);
	}
	if (i == s->len)
		return false;
	*s = mp_str_skip(*s, i + 1);
	return true;
}

/* Parses a value: a string, or everything up to a comma or closing bracket of its own level. */
static bool parse_value(struct mp_str *s, struct mp_buf *to)
{
	size_t depth = 0, i;

	while (s->len && *s->p == ' ')
		*s = mp_str_skip(*s, 1);
	if (!s->len)
		return false;
	if (*s->p == '\'' || *s->p == '"')
		return parse_string(s, to);
	for (i = 0; i < s->len; i++) {
		if (strchr("([{", s->p[i]))
			depth++;
		else if (strchr(")]}", s->p[i]) && depth-- == 0)
			break;
		else if ((s->p[i] == ',' || s->p[i] == ':') && depth == 0)
			break;
	}
	to->len = 0;
	mp_buf_str(to, mp_import_trim((struct mp_str){ s->p, i }));
	*s = mp_str_skip(*s, i);
	return to->len > 0;
}

/* Skips blanks and `c`; false if something else follows. */
static bool parse_byte(struct mp_str *s, char c)
{
	while (s->len && *s->p == ' ')
		*s = mp_str_skip(*s, 1);
	if (!s->len || *s->p != c)
		return false;
	*s = mp_str_skip(*s, 1);
	return true;
}

static void set_key(char key[72], struct mp_str name)
{
	bool context = mp_str_eq(name, MP_STR("cpu")) || mp_str_eq(name, MP_STR("pid")) ||
		       mp_str_eq(name, MP_STR("tid")) || mp_str_eq(name, MP_STR("comm"));
	size_t n = 0, i;

	if (!context)
		key[n++] = '.';
	if (name.len && mp_import_digit(*name.p))
		key[n++] = '_';
	for (i = 0; i < name.len && n < 71; i++) {
		bool good = mp_import_letter(name.p[i]) || mp_import_digit(name.p[i]);

		key[n++] = good ? name.p[i] : '_';
	}
	if (!name.len)
		key[n++] = '_';
	key[n] = '\0';
}

/* Adds a field, unless there is one of this name. */
static void add_pair(struct pairs *pairs, struct mp_str name, struct mp_str value)
{
	struct pair *pair = &pairs->v[pairs->n];
	size_t i;

	if (pairs->n == PAIRS_MAX)
		return;
	set_key(pair->key, name);
	for (i = 0; i < pairs->n; i++)
		if (strcmp(pairs->v[i].key, pair->key) == 0)
			return;
	pair->value = mp_arena_str(&pairs->arena, value);
	pairs->n++;
}

/* Parses {'pid': '12', 'comm': 'x'}. */
static bool parse_dict(struct marple *m, struct mp_str s, struct pairs *pairs)
{
	char name[72];
	size_t len;

	if (!parse_byte(&s, '{'))
		return false;
	while (!parse_byte(&s, '}')) {
		if (!parse_value(&s, &m->text) || !parse_byte(&s, ':'))
			return false;
		len = MP_MIN(m->text.len, sizeof(name));
		memcpy(name, m->text.p ? m->text.p : "", len);
		if (!parse_value(&s, &m->text))
			return false;
		add_pair(pairs, (struct mp_str){ name, len }, mp_buf_view(&m->text));
		if (!parse_byte(&s, ',') && !(s.len && *s.p == '}'))
			return false;
	}
	return !s.len;
}

/*
 * Adds an element of an event of old files: the track, "cpu 3", and the label, "nginx (pid: 12)",
 * are recognized by their form; others get a name by their position.
 */
static void add_element(struct pairs *pairs, struct mp_str e)
{
	size_t open = mp_import_find(e, " (pid: "), at;
	char name[16] = "datum1";
	uint64_t n;

	while ((at = open + 1) < e.len &&
	       (at += mp_import_find(mp_str_skip(e, at), " (pid: ")) < e.len)
		open = at;
	if (e.len > 4 && memcmp(e.p, "cpu ", 4) == 0 && mp_num_u64(mp_str_skip(e, 4), &n) == 0) {
		add_pair(pairs, MP_STR("cpu"), mp_str_skip(e, 4));
	} else if (open < e.len && e.p[e.len - 1] == ')') {
		add_pair(pairs, MP_STR("pid"), (struct mp_str){ e.p + open + 7, e.len - open - 8 });
		add_pair(pairs, MP_STR("comm"), (struct mp_str){ e.p, open });
	} else {
		name[5] = (char)('1' + MP_MIN(pairs->n, (size_t)8));
		add_pair(pairs, mp_str(name), e);
	}
}

/* Parses ('a', 'b'). */
static bool parse_tuple(struct marple *m, struct mp_str s, struct pairs *pairs)
{
	if (!parse_byte(&s, '('))
		return false;
	while (!parse_byte(&s, ')')) {
		if (!parse_value(&s, &m->text))
			return false;
		add_element(pairs, mp_buf_view(&m->text));
		if (!parse_byte(&s, ',') && !(s.len && *s.p == ')'))
			return false;
	}
	return !s.len;
}

/* --- records ---------------------------------------------------------------------------------- */

static void add_fields(struct mp_import *im, const struct pairs *pairs)
{
	static const char *const context[] = { "cpu", "pid", "tid", "comm" };
	size_t i, k;
	uint64_t n;

	for (k = 0; k < MP_ARRAY_SIZE(context); k++)
		for (i = 0; i < pairs->n; i++)
			if (strcmp(pairs->v[i].key, context[k]) == 0 && k < 3 &&
			    mp_num_u64(pairs->v[i].value, &n) == 0)
				mp_import_number(im, context[k], pairs->v[i].value);
			else if (strcmp(pairs->v[i].key, context[k]) == 0)
				mp_import_field(im, context[k], pairs->v[i].value);
	for (i = 0; i < pairs->n; i++)
		if (*pairs->v[i].key == '.')
			mp_import_field(im, pairs->v[i].key, pairs->v[i].value);
}

/* Adds the data of an event: a dict, a tuple, fields as the stream has them, or any text. */
static void add_datum(struct marple *m, struct mp_str datum)
{
	struct pairs pairs = { .n = 0 };
	struct mp_rec rec = { .kind = MP_EVENT, .time = MP_STR("0"), .type = MP_STR("x") };
	const char *why;

	rec.body = datum;
	if (datum.len && memchr("{(", *datum.p, 2)) {
		bool good = *datum.p == '{' ? parse_dict(m, datum, &pairs)
					    : parse_tuple(m, datum, &pairs);

		if (good)
			add_fields(m->im, &pairs);
		else
			mp_import_field(m->im, ".text", datum);
	} else if (mp_import_find(datum, "=") < datum.len && mp_rec_check(&rec, &why) == 0) {
		mp_buf_str(&m->im->line, datum);
	} else if (datum.len) {
		mp_import_field(m->im, ".text", datum);
	}
	mp_arena_release(&pairs.arena);
}

static int handle_event(struct marple *m, const struct mp_str *parts, size_t n, bool commas,
			const char **why)
{
	struct mp_import *im = m->im;
	uint64_t unit = im->options->time_unit_ns ? im->options->time_unit_ns : UNIT_NS, time;
	struct pairs pairs = { .n = 0 };
	struct mp_str connected, type = parts[1];

	if (n < 3)
		return fail(why, "event with fewer than three parts");
	/* ends in a colon, as perf script prints it */
	if (type.len > 1 && type.p[type.len - 1] == ':')
		type.len--;
	if (mp_num_u64(parts[0], &time) < 0 || time > INT64_MAX / unit)
		return fail(why, "time is not a whole number, or out of range");
	mp_import_begin(im, MP_EVENT, "marple");
	mp_import_event(im, time * unit, type);
	if (n == 4 && commas) {
		add_element(&pairs, parts[2]);
		add_element(&pairs, parts[3]);
		add_fields(im, &pairs);
		mp_arena_release(&pairs.arena);
	} else {
		add_datum(m, parts[2]);
		connected = n > 3 ? mp_import_trim(parts[3]) : MP_STR("None");
		if (!mp_str_eq(connected, MP_STR("None")) &&
		    mp_import_find(parts[2], "connected") == parts[2].len)
			mp_import_field(im, ".connected", connected);
	}
	mp_import_write(im);
	return 0;
}

static int handle_point(struct marple *m, const struct mp_str *parts, size_t n, const char **why)
{
	struct mp_import *im = m->im;
	double v;

	if (n < 3)
		return fail(why, "point with fewer than three parts");
	if (mp_num_decimal(parts[0], &v) < 0 || mp_num_decimal(parts[1], &v) < 0)
		return fail(why, "x or y is not a finite number");
	mp_import_begin(im, MP_POINT, NULL);
	im->line.len = 0;
	mp_buf_str(&im->line, parts[0]);
	mp_buf_byte(&im->line, ',');
	mp_buf_str(&im->line, parts[1]);
	mp_buf_byte(&im->line, ',');
	mp_esc_add(&im->line, parts[2], MP_ESC_VALUE);
	mp_import_write(im);
	return 0;
}

static int handle_stack(struct marple *m, struct mp_str weight, struct mp_str frames,
			const char *separator, const char **why)
{
	struct mp_import *im = m->im;
	int64_t n;

	if (mp_num_i64(weight, &n) < 0)
		return fail(why, "weight is not a whole number");
	mp_import_begin(im, MP_STACK, NULL);
	mp_import_weight(im, n);
	mp_import_folded_frames(im, frames, separator);
	mp_import_write(im);
	return 0;
}

/* Handles a line with $$$. Without a header the number and kind of its parts decide what it is. */
static int handle_dollars(struct marple *m, struct mp_str line, const char **why)
{
	struct mp_str parts[PARTS_MAX];
	size_t n = split(line, "$$$", parts, 4);
	enum mp_kind kind = m->datatype;
	bool frames;
	double v;

	if (!kind && n >= 3 && parts[2].len && memchr("{(", *parts[2].p, 2))
		kind = MP_EVENT;
	else if (!kind && n == 3 && mp_num_decimal(parts[1], &v) == 0)
		kind = MP_POINT;
	if (kind == MP_EVENT)
		return handle_event(m, parts, n, false, why);
	if (kind == MP_POINT)
		return handle_point(m, parts, split(line, "$$$", parts, 3), why);
	n = split(line, "$$$", parts, 2);
	if (n < 2)
		return fail(why, "stack without frames");
	/* frames of the memory collectors may be joined by $$$ or by semicolons */
	frames = mp_import_find(parts[1], "$$$") < parts[1].len;
	return handle_stack(m, parts[0], parts[1], frames ? "$$$" : ";", why);
}

/* Handles WEIGHT#FRAME;FRAME or TIME#TYPE#TUPLE. */
static int handle_hashes(struct marple *m, struct mp_str line, const char **why)
{
	struct mp_str parts[3];
	size_t n = split(line, "#", parts, 3);

	if (m->datatype == MP_EVENT ||
	    (!m->datatype && n == 3 && parts[2].len && memchr("({", *parts[2].p, 2)))
		return handle_event(m, parts, n, false, why);
	n = split(line, "#", parts, 2);
	return n < 2 ? fail(why, "stack without frames")
		     : handle_stack(m, parts[0], parts[1], ";", why);
}

/* Handles X,Y,INFO or TIME,TYPE,DATUM or TIME,TYPE,TRACK,LABEL or WEIGHT,FRAME;FRAME. */
static int handle_commas(struct marple *m, struct mp_str line, const char **why)
{
	struct mp_str parts[5];
	size_t n = split(line, ",", parts, 5);
	enum mp_kind kind = m->datatype;
	double v;

	if (!kind)
		kind = n < 3					      ? MP_STACK
		       : mp_num_decimal(parts[1], &v) == 0	      ? MP_POINT
		       : mp_import_find(parts[1], ";") < parts[1].len ? MP_STACK
								      : MP_EVENT;
	if (kind == MP_POINT)
		return handle_point(m, parts, split(line, ",", parts, 3), why);
	if (kind == MP_EVENT && n == 4 && !memchr(parts[2].p, '=', parts[2].len) &&
	    !(parts[2].len && memchr("({", *parts[2].p, 2)))
		return handle_event(m, parts, n, true, why);
	if (kind == MP_EVENT)
		return handle_event(m, parts, split(line, ",", parts, 3), true, why);
	if (split(line, ",", parts, 2) < 2)
		return fail(why, "stack without frames");
	if (parts[1].len && parts[1].p[parts[1].len - 1] == ';')
		parts[1].len--;
	return handle_stack(m, parts[0], parts[1], ";", why);
}

static int handle_data(struct marple *m, struct mp_str line, const char **why)
{
	size_t n = 0;

	while (n < line.len && memchr("0123456789+-.eE", line.p[n], 15))
		n++;
	if (!n || n == line.len)
		return fail(why, "not a line of a MARPLE file");
	if (line.len - n > 3 && memcmp(line.p + n, "$$$", 3) == 0)
		return handle_dollars(m, line, why);
	if (line.p[n] == '#')
		return handle_hashes(m, line, why);
	if (line.p[n] == ',')
		return handle_commas(m, line, why);
	return fail(why, "not a line of a MARPLE file");
}

/* --- headers ---------------------------------------------------------------------------------- */

static const json_t *option(const json_t *header, const char *key)
{
	const json_t *options = json_object_get(header, "data options");

	if (!options)
		options = json_object_get(header, "data_options");
	return json_object_get(options, key);
}

/*
 * Copies the axes and units of a header to the members that the stream has for them, and keeps the
 * complete header.
 */
static void handle_section(struct marple *m, json_t *header)
{
	json_t *x = (json_t *)option(header, "x_label"), *y = (json_t *)option(header, "y_label");
	json_t *xu = (json_t *)option(header, "x_units"), *yu = (json_t *)option(header, "y_units");
	json_t *weight = (json_t *)option(header, "weight_units");

	json_decref(m->im->origin);
	m->im->origin = NULL;
	if (m->datatype == MP_POINT && x && y)
		mp_import_origin(m->im, "axes", json_pack("[O, O]", x, y));
	if (m->datatype == MP_POINT && xu && yu)
		mp_import_origin(m->im, "units", json_pack("{s:O, s:O}", "x", xu, "y", yu));
	if (m->datatype == MP_STACK && weight)
		mp_import_origin(m->im, "weight", json_incref(weight));
	mp_import_origin(m->im, "marple", json_incref(header));
	mp_import_begin(m->im, m->datatype, "marple");
}

/* Handles a header, or the metaheader, which repeats all headers for random access. */
static int handle_json(struct marple *m, struct mp_str line, const char **why)
{
	json_t *json = json_loadb(line.p, line.len, 0, NULL), *type;
	int status = 0;

	if (!json_is_object(json)) {
		json_decref(json);
		return fail(why, "header is not a JSON object");
	}
	type = json_object_get(json, "datatype");
	if (type) {
		mp_import_end(m->im);
		m->datatype = mp_datatype_kind(json_string_value(type));
		if (m->datatype)
			handle_section(m, json);
		else
			status = fail(why, "datatype of the header is not event, point or stack");
	}
	json_decref(json);
	return status;
}

static void parse(struct mp_import *im)
{
	struct marple m = { .im = im };
	struct mp_str line;
	const char *why;

	im->source = "MARPLE";
	while (mp_import_line(im, &line)) {
		if (!line.len)
			continue; /* an empty line between sections */
		if ((*line.p == '{' ? handle_json(&m, line, &why) : handle_data(&m, line, &why)) <
		    0)
			mp_import_bad(im, why);
	}
	mp_buf_release(&m.text);
}

static bool has(struct mp_str line, const char *text)
{
	return mp_import_find(line, text) < line.len;
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	if (first && *line.p == '{' && has(line, "\"interface\"") && has(line, "\"datatype\"") &&
	    !has(line, "\"mp\""))
		return MP_IMPORT_CERTAIN;
	return mp_import_digit(*line.p) && has(line, "$$$") ? MP_IMPORT_LIKE : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_marple = { "marple", looks_like, NULL, parse };
