// SPDX-License-Identifier: GPL-2.0-only
#include "lib/select/table.h"

#include <stdlib.h>

#include "lib/stream/cell.h"
#include "lib/stream/esc.h"
#include "lib/stream/named.h"
#include "lib/stream/unit.h"

enum {
	TIME,
	TYPE,
	COLUMNS_MAX = 2000, /* what sqlite3 reads */
	HELD_EVENTS_MAX = 1000,
	HELD_BYTES_MAX = MP_LINE_MAX,
};

/* --- columns ---------------------------------------------------------------------------------- */

/* The fields before and after the payload, in the order of mp-stream(5). */
static const char *const context[] = { "time", "type",	 "host", "cpu",	   "pid",   "tid",
				       "comm", "period", "addr", "cgroup", "nspid", "nstid" };

/* Fields that no header lists and whose values are text, even if they look like a number. */
static const char *const texts[] = { "type", "host",  "comm",  "addr", "cgroup",
				     "op",   "level", "snoop", "tlb",  "lock" };

static size_t index_of(struct mp_str name, const char *const *v, size_t n)
{
	size_t i;

	for (i = 0; i < n && !mp_str_eq(name, mp_str(v[i])); i++)
		;
	return i;
}

static enum mp_table_type type_of_standard(struct mp_str name)
{
	if (mp_str_eq(name, MP_STR("stack")))
		return MP_TABLE_STACK;
	return index_of(name, texts, MP_ARRAY_SIZE(texts)) < MP_ARRAY_SIZE(texts)
		       ? MP_TABLE_TEXT
		       : MP_TABLE_UNKNOWN;
}

static struct mp_table_column *find_column(struct mp_table *t, struct mp_str name)
{
	const struct mp_map_entry *e = mp_map_find(&t->names, &name, 1);

	return e ? &t->columns[*(size_t *)mp_map_value(e)] : NULL;
}

static void add_column(struct mp_table *t, struct mp_str name)
{
	struct mp_map_entry *e = mp_map_put(&t->names, &name, 1, NULL);

	*(size_t *)mp_map_value(e) = t->n;
	t->columns = mp_grow(t->columns, &t->cap, t->n + 1, sizeof(*t->columns));
	t->filled = mp_realloc(t->filled, t->cap * sizeof(*t->filled));
	t->columns[t->n++] =
		(struct mp_table_column){ .name = e->key, .type = type_of_standard(e->key) };
}

/*
 * The column of a field, NULL if it has none; adds it unless the columns are settled. A name that
 * is not one has none, so that no name needs an escape.
 */
static struct mp_table_column *column_of(struct mp_table *t, struct mp_str name)
{
	struct mp_table_column *c = find_column(t, name);
	struct mp_field f;

	if (c || t->begun || t->named || t->n == COLUMNS_MAX || mp_field_parse(&f, name) < 0 ||
	    (t->keep && !mp_project_has(t->keep, name)))
		return c;
	add_column(t, name);
	return &t->columns[t->n - 1];
}

void mp_table_init(struct mp_table *t, struct mp_out *out, bool json, const struct mp_project *keep)
{
	size_t i;

	*t = (struct mp_table){ .out = out, .json = json, .keep = keep };
	mp_map_init(&t->names, sizeof(size_t));
	add_column(t, MP_STR("time"));
	add_column(t, MP_STR("type"));
	t->named = keep && !keep->drop;
	for (i = 0; t->named && i < keep->fields.n; i++)
		if (!find_column(t, keep->fields.v[i].name))
			add_column(t, keep->fields.v[i].name);
}

void mp_table_release(struct mp_table *t)
{
	mp_map_release(&t->names);
	mp_arena_release(&t->arena);
	free(t->columns);
	free(t->filled);
	mp_buf_release(&t->held);
	mp_buf_release(&t->raw);
	mp_buf_release(&t->text);
}

/* Whether the header says that the numbers of a field have names. */
static bool has_names(struct mp_str type)
{
	return mp_str_ends(type, MP_STR("()"));
}

static enum mp_table_type type_of_header(struct mp_str type)
{
	uint64_t bits;
	bool array;

	if (has_names(type))
		type.len -= 2;
	array = mp_str_ends(type, MP_STR("[]"));
	if (array)
		type.len -= 2;
	if (type.len < 2 || mp_num_u64(mp_str_skip(type, 1), &bits) < 0)
		return MP_TABLE_TEXT;
	if (*type.p == 's' || *type.p == 'u')
		return array ? MP_TABLE_NUMBERS : MP_TABLE_NUMBER;
	/* 64 bits are an address in most cases, and more than sqlite3 and jq have for a number */
	return *type.p == 'x' && bits <= 32 && !array ? MP_TABLE_HEX : MP_TABLE_TEXT;
}

/* The type of a column whose values are of both types. */
static enum mp_table_type common_type(enum mp_table_type a, enum mp_table_type b)
{
	if (a == b || a == MP_TABLE_UNKNOWN)
		return b;
	if ((a == MP_TABLE_NUMBER && b == MP_TABLE_HEX) ||
	    (a == MP_TABLE_HEX && b == MP_TABLE_NUMBER))
		return MP_TABLE_HEX;
	return MP_TABLE_TEXT;
}

/* The column of the names of a field's numbers; adds it unless the columns are settled. */
static struct mp_table_column *name_column_of(struct mp_table *t, struct mp_str field)
{
	struct mp_table_column *c;
	struct mp_str name;

	t->raw.len = 0;
	mp_buf_str(&t->raw, field);
	mp_buf_str(&t->raw, MP_STR("_name"));
	name = mp_buf_view(&t->raw);
	c = find_column(t, name);
	if (c || t->begun || t->n == COLUMNS_MAX)
		return c;
	add_column(t, name);
	c = &t->columns[t->n - 1];
	c->type = MP_TABLE_TEXT;
	return c;
}

static void add_types(struct mp_table *t, json_t *fields)
{
	json_t *value;
	const char *name;

	json_object_foreach (fields, name, value) {
		struct mp_table_column *c = column_of(t, mp_str(name));
		struct mp_str type;

		if (!c || c->type == MP_TABLE_STACK || !json_is_string(value))
			continue;
		type = mp_str(json_string_value(value));
		c->type = common_type(c->type, type_of_header(type));
		if (has_names(type))
			name_column_of(t, mp_str(name));
	}
}

void mp_table_header(struct mp_table *t, json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *event;

	json_object_foreach (events, event, fields)
		add_types(t, fields);
}

/* --- the order of columns --------------------------------------------------------------------- */

static size_t rank(const struct mp_table_column *c)
{
	size_t i = index_of(c->name, context, MP_ARRAY_SIZE(context));

	if (i < MP_ARRAY_SIZE(context))
		return i;
	if (*c->name.p == '.')
		return MP_ARRAY_SIZE(context);
	return MP_ARRAY_SIZE(context) + (c->type == MP_TABLE_STACK ? 2 : 1);
}

/* Columns of the same rank stay in the order in which they were added, which `next` says. */
static int compare_columns(const void *a, const void *b)
{
	const struct mp_table_column *x = a, *y = b;
	size_t p = rank(x), q = rank(y);

	if (p == q)
		return x->next < y->next ? -1 : 1;
	return p < q ? -1 : 1;
}

static void sort_columns(struct mp_table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->columns[i].next = i;
	qsort(t->columns, t->n, sizeof(*t->columns), compare_columns);
	for (i = 0; i < t->n; i++) {
		struct mp_map_entry *e = mp_map_find(&t->names, &t->columns[i].name, 1);

		*(size_t *)mp_map_value(e) = i;
		t->columns[i].next = i + 1;
	}
}

/* --- values ----------------------------------------------------------------------------------- */

/* Adds the decimal number of a short hexadecimal one; returns false if it is not one. */
static bool add_hex(struct mp_buf *to, struct mp_str value)
{
	char text[MP_NUM_MAX];
	int64_t v;

	if (!mp_str_starts(value, MP_STR("0x")) || mp_num_any(value, &v) < 0 || v < 0)
		return false;
	mp_buf_add(to, text, mp_put_i64(text, v) - text);
	return true;
}

static void add_tsv(struct mp_table *t, const struct mp_table_column *c)
{
	if (c->type == MP_TABLE_STACK)
		mp_cell_tsv(&t->text, c->value);
	else if (c->type != MP_TABLE_HEX || !add_hex(&t->text, c->value))
		mp_cell_tsv(&t->text, mp_esc_decode(&t->raw, c->value));
}

static bool are_numbers(struct mp_str list)
{
	while (list.len) {
		const char *comma = memchr(list.p, ',', list.len);
		struct mp_str one = { list.p, comma ? (size_t)(comma - list.p) : list.len };

		if (!mp_cell_is_number(one))
			return false;
		list = mp_str_skip(list, comma ? one.len + 1 : one.len);
		if (comma && !list.len)
			return false;
	}
	return true;
}

static void add_frames(struct mp_table *t, struct mp_str frames)
{
	struct mp_str frame;
	bool first = true;

	mp_buf_byte(&t->text, '[');
	if (!frames.len)
		frames.p = NULL; /* no frame, and not one without a name */
	while (mp_rec_next_frame(&frames, &frame)) {
		if (!first)
			mp_buf_byte(&t->text, ',');
		mp_cell_json(&t->text, frame);
		first = false;
	}
	mp_buf_byte(&t->text, ']');
}

static void add_json(struct mp_table *t, const struct mp_table_column *c)
{
	struct mp_str v = c->value;

	if (c->type == MP_TABLE_STACK)
		add_frames(t, v);
	else if (c->type == MP_TABLE_NUMBERS && are_numbers(v))
		mp_buf_printf(&t->text, "[%.*s]", MP_STR_ARGS(v));
	else if (c->type != MP_TABLE_TEXT && mp_cell_is_number(v))
		mp_buf_str(&t->text, v);
	else if (c->type != MP_TABLE_HEX || !add_hex(&t->text, v))
		mp_cell_json(&t->text, mp_esc_decode(&t->raw, v));
}

/* --- rows ------------------------------------------------------------------------------------- */

static void fill(struct mp_table *t, size_t column, struct mp_str value)
{
	struct mp_table_column *c = &t->columns[column];

	if (!c->value.p)
		t->filled[t->n_filled++] = column;
	c->value = value;
}

/* Fills the column of a field, and that of the name if the value is a number with a name. */
static void fill_field(struct mp_table *t, size_t column, struct mp_str value)
{
	struct mp_str name = mp_named_name(value);
	const struct mp_table_column *c;

	fill(t, column, mp_named_number(value));
	if (name.p == value.p)
		return;
	c = name_column_of(t, t->columns[column].name);
	if (c && !c->value.p)
		fill(t, c - t->columns, name);
}

static void note_omitted(struct mp_table *t, struct mp_str name)
{
	if (t->keep && !mp_project_has(t->keep, name))
		return;
	if (!t->omitted++)
		t->first_omitted = mp_arena_str(&t->arena, name);
}

/*
 * Finds the column of each field. Events of a type have the same fields, so the column that
 * followed in an earlier event is tried first.
 */
static void fill_row(struct mp_table *t, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;
	size_t last = TYPE;

	fill(t, TIME, rec->time);
	fill(t, TYPE, rec->type);
	while (mp_rec_next_field(&rest, &key, &value)) {
		size_t next = t->columns[last].next;
		struct mp_table_column *c = next < t->n ? &t->columns[next] : NULL;

		if (!c || !mp_str_eq(c->name, key))
			c = column_of(t, key);
		if (!c || c - t->columns <= TYPE) {
			note_omitted(t, key);
			continue;
		}
		next = c - t->columns;
		t->columns[last].next = next;
		last = next;
		fill_field(t, next, value);
	}
}

static void write_tsv_row(struct mp_table *t)
{
	size_t i;

	t->text.len = 0;
	for (i = 0; i < t->n; i++) {
		if (i)
			mp_buf_byte(&t->text, '\t');
		if (t->columns[i].value.p)
			add_tsv(t, &t->columns[i]);
	}
	mp_buf_byte(&t->text, '\n');
}

static void write_json_row(struct mp_table *t)
{
	size_t i;

	t->text.len = 0;
	for (i = 0; i < t->n_filled; i++) {
		const struct mp_table_column *c = &t->columns[t->filled[i]];

		mp_buf_byte(&t->text, i ? ',' : '{');
		mp_buf_byte(&t->text, '"');
		mp_buf_str(&t->text, c->name);
		mp_buf_str(&t->text, MP_STR("\":"));
		add_json(t, c);
	}
	mp_buf_add(&t->text, "}\n", 2);
}

static void write_row(struct mp_table *t, const struct mp_rec *rec)
{
	size_t i;

	fill_row(t, rec);
	if (t->json)
		write_json_row(t);
	else
		write_tsv_row(t);
	mp_out_write(t->out, t->text.p, t->text.len);
	for (i = 0; i < t->n_filled; i++)
		t->columns[t->filled[i]].value.p = NULL;
	t->n_filled = 0;
}

static void write_names(struct mp_table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		mp_out_write(t->out, "\t", !!i);
		mp_out_write(t->out, t->columns[i].name.p, t->columns[i].name.len);
	}
	mp_out_write(t->out, "\n", 1);
}

/* Writes the names and the events that were held. */
static void begin(struct mp_table *t)
{
	const char *p = t->held.p, *why;
	struct mp_rec rec;

	t->begun = true;
	if (!t->named)
		sort_columns(t);
	write_names(t);
	for (; t->n_held; t->n_held--) {
		const char *lf = memchr(p, '\n', t->held.p + t->held.len - p);

		if (mp_rec_parse(&rec, p, lf - p, &why) == 0)
			write_row(t, &rec);
		p = lf + 1;
	}
	mp_buf_release(&t->held);
}

static void hold(struct mp_table *t, struct mp_str line)
{
	mp_buf_str(&t->held, line);
	mp_buf_byte(&t->held, '\n');
	if (++t->n_held == HELD_EVENTS_MAX || t->held.len >= HELD_BYTES_MAX)
		begin(t);
}

void mp_table_event(struct mp_table *t, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;

	if (!t->json && !t->begun && !t->named) {
		while (mp_rec_next_field(&rest, &key, &value))
			if (column_of(t, key) && mp_named_name(value).p != value.p)
				name_column_of(t, key);
		hold(t, rec->line);
		return;
	}
	if (!t->json && !t->begun)
		begin(t);
	write_row(t, rec);
}

enum mp_status mp_table_finish(struct mp_table *t)
{
	if (!t->json && !t->begun)
		begin(t);
	if (!t->omitted)
		return MP_OK;
	mp_say("omitted %llu value%s of fields that are not columns, first of '%.*s' (--fields "
	       "names the columns)",
	       (unsigned long long)t->omitted, mp_plural(t->omitted),
	       MP_STR_ARGS(t->first_omitted));
	return MP_LOSSY;
}
