// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/timelinedata.h"

#include <stdlib.h>

#include "lib/draw/svg.h"

enum {
	KEYS = 1000,	       /* names of fields */
	VALUES = 200000,       /* distinct values of fields */
	VALUE_MAX = 256,       /* bytes of a value */
	STACK_BYTES = 4 << 20, /* of distinct stacks; more are omitted */
};

/* The values of a field in the singles that have it. */
struct column {
	struct mp_buf values;
	const struct mp_single *last; /* the latest single that has it */
	uint32_t number;
};

struct builder {
	struct mp_buf *names, *values, *stacks, *numbers;
	struct mp_map keys;   /* name -> struct column */
	struct mp_map shapes; /* names -> uint32_t */
	struct mp_map dictionary;
	struct mp_buf shape;	/* the names of the current single */
	struct mp_buf shape_of; /* column of shapes */
};

static void put_number(struct mp_buf *to, uint64_t v)
{
	char text[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		text[n++] = v | 0x80;
	text[n++] = v;
	mp_buf_add(to, text, n);
}

static void put_signed(struct mp_buf *to, int64_t v)
{
	put_number(to, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

/* --- names ------------------------------------------------------------------------------------ */

/* Adds the next element of a JSON array, which is open. */
static void put_text(struct mp_buf *to, struct mp_str text)
{
	if (to->p[to->len - 1] != '[')
		mp_buf_byte(to, ',');
	mp_svg_json(to, text);
}

/* The name of a row, whose values are joined by blanks. */
static void put_row(struct mp_buf *to, struct mp_str key)
{
	struct mp_buf name = { NULL, 0, 0 };
	size_t i;

	mp_buf_str(&name, key);
	for (i = 0; i < name.len; i++)
		if (name.p[i] == '\t')
			name.p[i] = ' ';
	put_text(to, mp_buf_view(&name));
	mp_buf_release(&name);
}

static uint32_t number_in(struct mp_map *map, struct mp_str key)
{
	struct mp_map_entry *e;
	uint32_t *number;
	bool fresh;

	e = mp_map_put(map, &key, 1, &fresh);
	number = mp_map_value(e);
	if (fresh)
		*number = map->n - 1;
	return *number;
}

static void put_keys(struct mp_buf *to, const struct mp_map *map)
{
	const struct mp_map_entry *e;

	mp_map_each (map, e)
		put_text(to, e->key);
}

static void put_categories(struct mp_buf *to, const struct mp_timeline *t)
{
	struct mp_map types, labels;
	size_t i;

	mp_map_init(&types, sizeof(uint32_t));
	mp_map_init(&labels, sizeof(uint32_t));
	mp_buf_printf(to, ",\"categories\":[");
	for (i = 0; i < t->n_categories; i++) {
		const struct mp_timeline_category *c = &t->categories[i];

		mp_buf_printf(to, "%s[%u,%d]", i ? "," : "", number_in(&types, c->type),
			      c->label.p ? (int)number_in(&labels, c->label) : -1);
	}
	mp_buf_printf(to, "],\"types\":[");
	put_keys(to, &types);
	mp_buf_printf(to, "],\"labels\":[");
	put_keys(to, &labels);
	mp_buf_printf(to, "]");
	mp_map_release(&types);
	mp_map_release(&labels);
}

static void put_series(struct mp_buf *to, const struct mp_timeline *t)
{
	const struct mp_map_entry *e;

	mp_buf_printf(to, ",\"series\":[");
	mp_map_each (&t->series_map, e) {
		const struct mp_timeline_series *s = mp_map_value(e);
		const char *type = (const char *)memrchr(e->key.p, '\t', e->key.len) + 1;

		mp_buf_printf(to, "%s[%u,", s->number ? "," : "", s->row);
		mp_svg_json(to, (struct mp_str){ type, e->key.p + e->key.len - type });
		mp_buf_byte(to, ']');
	}
	mp_buf_byte(to, ']');
}

/* ns since the begin of the picture. */
static double since(const struct mp_timeline *t, uint64_t ns)
{
	return ns >= t->begin_ns ? (double)(ns - t->begin_ns) : -(double)(t->begin_ns - ns);
}

static void put_losses(struct mp_buf *to, const struct mp_timeline *t)
{
	size_t i;

	mp_buf_printf(to, ",\"lost\":[");
	for (i = 0; i < t->n_losses; i++) {
		const struct mp_timeline_loss *l = &t->losses[i];

		mp_buf_printf(to, "%s[%.0f,%.0f,%llu]", i ? "," : "",
			      since(t, MP_MAX(l->from_ns, t->begin_ns)), since(t, l->time_ns),
			      (unsigned long long)l->n);
	}
	mp_buf_byte(to, ']');
}

/* The shapes are lists of the numbers of keys. */
static void put_shapes(struct builder *b)
{
	const struct mp_map_entry *e;

	mp_buf_printf(b->names, ",\"shapes\":[");
	mp_map_each (&b->shapes, e) {
		mp_buf_printf(b->names, "%s[", e == b->shapes.first ? "" : ",");
		mp_buf_str(b->names, e->key);
		mp_buf_byte(b->names, ']');
	}
	mp_buf_byte(b->names, ']');
}

static void put_names(struct builder *b, const struct mp_timeline *t)
{
	size_t i;

	mp_buf_printf(b->names, "{\"rows\":[");
	for (i = 0; i < t->n_rows; i++)
		put_row(b->names, t->by_row[i]->key);
	mp_buf_printf(b->names, "],\"keys\":[");
	put_keys(b->names, &b->keys);
	mp_buf_byte(b->names, ']');
	put_categories(b->names, t);
	put_series(b->names, t);
	put_losses(b->names, t);
	put_shapes(b);
	mp_buf_byte(b->names, '}');
}

/* --- singles ---------------------------------------------------------------------------------- */

static uint32_t value_number(struct builder *b, struct mp_str value)
{
	bool omitted = value.len > VALUE_MAX ||
		       (b->dictionary.n >= VALUES && !mp_map_find(&b->dictionary, &value, 1));

	return number_in(&b->dictionary, omitted ? MP_STR("\xe2\x80\xa6") : value);
}

/* Puts the fields of a single into the columns of their keys, and frees them. */
static void split_fields(struct builder *b, struct mp_single *one)
{
	struct mp_str rest = { one->fields, one->fields_len }, key, value;

	b->shape.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		struct column *c;
		bool fresh;

		if (b->keys.n >= KEYS && !mp_map_find(&b->keys, &key, 1))
			continue;
		c = mp_map_value(mp_map_put(&b->keys, &key, 1, &fresh));
		if (fresh)
			c->number = b->keys.n - 1;
		else if (c->last == one)
			continue; /* a name occurs twice */
		c->last = one;
		put_number(&c->values, value_number(b, value));
		mp_buf_printf(&b->shape, "%s%u", b->shape.len ? "," : "", c->number);
	}
	put_number(&b->shape_of, number_in(&b->shapes, mp_buf_view(&b->shape)));
	free(one->fields);
	one->fields = NULL;
}

static void put_singles(struct builder *b, struct mp_timeline *t, const uint32_t *stacks)
{
	const struct mp_single *v = t->singles.v;
	const struct mp_map_entry *e;
	size_t n = t->singles.n, row, i = 0, first;

	for (row = 0; row < t->n_rows; row++) {
		for (first = i; i < n && v[i].row == row;)
			i++;
		put_number(b->numbers, i - first);
	}
	for (i = 0; i < n; i++)
		put_number(b->numbers,
			   v[i].begin_ns - (i && v[i - 1].row == v[i].row ? v[i - 1].begin_ns
									  : t->begin_ns));
	for (i = 0; i < n; i++)
		put_number(b->numbers, v[i].instant ? 0 : v[i].dur_ns + 1);
	for (i = 0; i < n; i++)
		put_number(b->numbers, 2 * v[i].category + v[i].marked);
	mp_buf_str(b->numbers, mp_buf_view(&b->shape_of));
	for (i = 0; i < n; i++)
		put_number(b->numbers, v[i].stack ? stacks[v[i].stack - 1] : 0);
	mp_map_each (&b->keys, e) {
		struct column *c = mp_map_value(e);

		mp_buf_str(b->numbers, mp_buf_view(&c->values));
		mp_buf_release(&c->values);
	}
}

/* Writes the stacks that are drawn; returns for each stack its number + 1 there, or 0. */
static uint32_t *put_stacks(struct builder *b, const struct mp_timeline *t)
{
	uint32_t *numbers = mp_zalloc((t->stacks.n + 1) * sizeof(*numbers)), n = 0;
	const struct mp_map_entry *e;
	size_t i;

	for (i = 0; i < t->singles.n; i++)
		if (t->singles.v[i].stack)
			numbers[t->singles.v[i].stack - 1] = 1;
	mp_buf_byte(b->stacks, '[');
	i = 0;
	mp_map_each (&t->stacks, e) {
		if (numbers[i] && b->stacks->len + e->key.len < STACK_BYTES) {
			put_text(b->stacks, e->key);
			numbers[i] = ++n;
		} else {
			numbers[i] = 0;
		}
		i++;
	}
	mp_buf_byte(b->stacks, ']');
	return numbers;
}

/* --- arrows, levels --------------------------------------------------------------------------- */

static void put_arrows(struct mp_buf *to, const struct mp_timeline *t)
{
	const struct mp_timeline_arrow *v = t->loose;
	size_t i;

	for (i = 0; i < t->n_arrows; i++)
		put_number(to, v[i].from_ns - (i ? v[i - 1].from_ns : t->begin_ns));
	for (i = 0; i < t->n_arrows; i++)
		put_signed(to, (int64_t)(v[i].to_ns - v[i].from_ns));
	for (i = 0; i < t->n_arrows; i++)
		put_number(to, v[i].from_row);
	for (i = 0; i < t->n_arrows; i++)
		put_number(to, v[i].to_row);
	for (i = 0; i < t->n_arrows; i++)
		put_number(to, v[i].single);
}

/* The first bin of levels or counters: their numbers count from here. */
static uint64_t first_bin(const struct mp_timeline *t, const struct mp_levels *l)
{
	return t->begin_ns >> l->shift;
}

static bool begins_group(const struct mp_levels *l, size_t i)
{
	return !i || l->cells[i].row != l->cells[i - 1].row ||
	       l->cells[i].category != l->cells[i - 1].category;
}

static void put_levels(struct mp_buf *to, const struct mp_timeline *t, const struct mp_levels *l)
{
	uint64_t first = first_bin(t, l);
	size_t groups = 0, i, end;

	for (i = 0; i < l->n; i++)
		groups += begins_group(l, i);
	put_number(to, groups);
	for (i = 0; i < l->n; i = end) {
		for (end = i + 1; end < l->n && !begins_group(l, end);)
			end++;
		put_number(to, l->cells[i].row);
		put_number(to, l->cells[i].category);
		put_number(to, end - i);
	}
	for (i = 0; i < l->n; i++)
		put_number(to,
			   l->cells[i].bin - (begins_group(l, i) ? first : l->cells[i - 1].bin));
	for (i = 0; i < l->n; i++)
		put_number(to, l->cells[i].count);
	for (i = 0; i < l->n; i++)
		put_signed(to, l->cells[i].sum);
}

void mp_timelinedata_make(struct mp_buf parts[MP_TIMELINEDATA_PARTS], struct mp_timeline *t)
{
	struct builder b = {
		.names = &parts[0],
		.values = &parts[1],
		.stacks = &parts[2],
		.numbers = &parts[3],
	};
	uint32_t *stacks;
	size_t i;

	memset(parts, 0, MP_TIMELINEDATA_PARTS * sizeof(*parts));
	mp_map_init(&b.keys, sizeof(struct column));
	mp_map_init(&b.shapes, sizeof(uint32_t));
	mp_map_init(&b.dictionary, sizeof(uint32_t));
	for (i = 0; i < t->singles.n; i++)
		split_fields(&b, &t->singles.v[i]);
	mp_buf_byte(b.values, '[');
	put_keys(b.values, &b.dictionary);
	mp_buf_byte(b.values, ']');
	mp_map_release(&b.dictionary);
	stacks = put_stacks(&b, t);
	put_singles(&b, t, stacks);
	free(stacks);
	put_arrows(b.numbers, t);
	put_levels(b.numbers, t, &t->levels);
	put_levels(b.numbers, t, &t->counters);
	put_names(&b, t);
	mp_buf_release(&b.shape);
	mp_buf_release(&b.shape_of);
	mp_map_release(&b.keys);
	mp_map_release(&b.shapes);
}
