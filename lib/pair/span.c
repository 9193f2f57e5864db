// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/span.h"

#include <stdlib.h>

#include "lib/pair/span_name.h"

/*
 * The text that is kept of a begin event has parts, between which fields of the end event are
 * inserted. These are the parts without --fields; with --fields, a part ends before each field of
 * the end event.
 */
enum { PART_HOST, PART_CPU, PART_MAIN, PART_DERIVED, N_PARTS, PART_NONE };

/*
 * Which fields of the end event a span gets, since the begin event does not have them: payload
 * first.
 */
struct mp_span_plan {
	size_t n_payload, n;
	uint32_t at[];
};

void mp_endpoint_release(struct mp_endpoint *m)
{
	free(m->text);
	m->text = NULL;
	m->len = m->cap = 0;
}

static size_t count_parts(const struct mp_pair_specs *specs)
{
	size_t n = 1, i;

	for (i = 0; i < specs->n_takes; i++)
		n += specs->takes[i].end;
	return specs->chosen ? n : N_PARTS;
}

void mp_spans_init(struct mp_spans *s, const struct mp_pair_specs *specs, enum mp_span_stack stack,
		   bool open)
{
	*s = (struct mp_spans){ .specs = specs, .stack = stack, .open = open };
	s->n_parts = count_parts(specs);
	mp_map_init(&s->names, sizeof(struct mp_str));
}

void mp_spans_release(struct mp_spans *s)
{
	size_t i, k;

	for (i = 0; i < MP_SHAPES_MAX; i++) {
		free(s->part_of[i]);
		for (k = 0; s->plans[i] && k < MP_SHAPES_MAX; k++)
			free(s->plans[i][k]);
		free(s->plans[i]);
	}
	free(s->plan);
	mp_shapes_release(&s->shapes);
	mp_map_release(&s->names);
}

/* --- names ------------------------------------------------------------------------------------ */

static struct mp_str make_name(struct mp_spans *s, struct mp_str begin, struct mp_str end)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_str name;

	mp_span_name_add(&text, begin, end);
	name = mp_arena_str(&s->names.arena, mp_buf_view(&text));
	mp_buf_release(&text);
	return name;
}

struct mp_str mp_span_name(struct mp_spans *s, const struct mp_map_entry *begin,
			   const struct mp_map_entry *end)
{
	struct mp_str parts[2] = { begin->key, end->key };
	struct mp_map_entry *e;
	bool fresh;

	if (s->last_begin == begin && s->last_end == end)
		return s->last_name;
	e = mp_map_put(&s->names, parts, 2, &fresh);
	if (fresh)
		*(struct mp_str *)mp_map_value(e) = make_name(s, begin->key, end->key);
	s->last_begin = begin;
	s->last_end = end;
	return s->last_name = *(struct mp_str *)mp_map_value(e);
}

/* --- begin events ----------------------------------------------------------------------------- */

/* Whether this program itself adds a field of this name. */
static bool is_ours(const struct mp_spans *s, struct mp_str key)
{
	if (s->all && mp_str_eq(key, MP_STR("ended")))
		return true;
	if (s->open)
		return mp_str_eq(key, MP_STR("age")) || mp_str_eq(key, MP_STR("step"));
	return mp_str_eq(key, MP_STR("dur")) || mp_str_eq(key, MP_STR("span"));
}

static uint8_t part_of_key(const struct mp_spans *s, struct mp_str key)
{
	if (mp_str_eq(key, MP_STR("host")))
		return PART_HOST;
	if (mp_str_eq(key, MP_STR("cpu")))
		return PART_CPU;
	if (is_ours(s, key))
		return PART_NONE;
	return mp_split_field_class(key) == MP_CLASS_DERIVED ? PART_DERIVED : PART_MAIN;
}

/* For each field of a shape, the part of the text to which it belongs. */
static const uint8_t *parts_of(struct mp_spans *s, const struct mp_shape *shape)
{
	uint8_t **parts = &s->part_of[shape->number];
	size_t i;

	if (*parts)
		return *parts;
	*parts = mp_alloc(shape->n + 1);
	for (i = 0; i < shape->n; i++)
		(*parts)[i] = part_of_key(s, shape->keys[i]);
	return *parts;
}

static void reserve(struct mp_endpoint *m, size_t more)
{
	if (m->cap - m->len >= more)
		return;
	m->cap = (m->len + more + 63) & ~(size_t)63;
	m->text = mp_realloc(m->text, m->cap);
}

static void keep(struct mp_endpoint *m, const char *p, size_t len)
{
	memcpy(m->text + m->len, p, len);
	m->len += len;
}

/* The text of a part. The last part is the stack. */
static struct mp_str part_text(const struct mp_spans *s, const struct mp_endpoint *m, size_t part)
{
	const uint32_t *ends = (const uint32_t *)m->text;
	uint32_t begin = part ? ends[part - 1] : (s->n_parts + 1) * sizeof(*ends);

	return (struct mp_str){ m->text + begin, ends[part] - begin };
}

static void end_part(struct mp_endpoint *m, size_t part)
{
	((uint32_t *)m->text)[part] = m->len;
}

/* Keeps every field, by parts; neighbours in the line are copied together. */
static void keep_all(struct mp_spans *s, struct mp_endpoint *m, const struct mp_split *split)
{
	const uint8_t *part_of = split->shape ? parts_of(s, split->shape) : NULL;
	size_t part, i;

	for (part = 0; part < N_PARTS; part++) {
		const char *from = NULL, *to = NULL;

		for (i = 0; i < split->n; i++) {
			struct mp_str text = split->v[i].text;

			if ((part_of ? part_of[i] : part_of_key(s, mp_split_key(&split->v[i]))) !=
			    part)
				continue;
			if (from && text.p == to + 1) {
				to = text.p + text.len;
				continue;
			}
			if (from) {
				keep(m, from, to - from);
				m->text[m->len++] = '\t';
			}
			from = text.p;
			to = text.p + text.len;
		}
		if (from) {
			keep(m, from, to - from);
			m->text[m->len++] = '\t';
		}
		end_part(m, part);
	}
}

/* The value that an event has for a take; false if it has none. */
static bool value_for(struct mp_spans *s, size_t n, const struct mp_rec *rec,
		      const struct mp_split *split, struct mp_str *value)
{
	return mp_split_get(split, rec, &s->specs->takes[n].from, &s->takes[n], value);
}

static void keep_chosen(struct mp_spans *s, struct mp_endpoint *m, const struct mp_rec *rec,
			const struct mp_split *split)
{
	const struct mp_pair_specs *specs = s->specs;
	struct mp_str value;
	size_t part = 0, i;

	for (i = 0; i < specs->n_takes; i++) {
		if (specs->takes[i].end) {
			end_part(m, part++);
		} else if (value_for(s, i, rec, split, &value)) {
			reserve(m, specs->takes[i].name.len + value.len + 2);
			keep(m, specs->takes[i].name.p, specs->takes[i].name.len);
			m->text[m->len++] = '=';
			keep(m, value.p, value.len);
			m->text[m->len++] = '\t';
		}
	}
	end_part(m, part);
}

void mp_endpoint_set(struct mp_spans *s, struct mp_endpoint *m, const struct mp_rec *rec,
		     const struct mp_split *split, const struct mp_map_entry *type)
{
	m->time_ns = rec->time_ns;
	m->type = type;
	m->shape = split->shape;
	m->len = 0;
	reserve(m, (s->n_parts + 1) * sizeof(uint32_t) +
			   (s->specs->chosen ? 0 : rec->body.len - split->stack.len + 1));
	m->len = (s->n_parts + 1) * sizeof(uint32_t);
	if (s->specs->chosen)
		keep_chosen(s, m, rec, split);
	else
		keep_all(s, m, split);
	if (s->stack == MP_SPAN_STACK_BEGIN && split->stack.p) {
		reserve(m, split->stack.len + 1);
		m->text[m->len++] = '\t'; /* distinguishes an empty stack from a missing one */
		keep(m, split->stack.p, split->stack.len);
	}
	end_part(m, s->n_parts);
}

void mp_endpoint_add(struct mp_endpoint *m, struct mp_str text)
{
	reserve(m, text.len);
	keep(m, text.p, text.len);
}

struct mp_str mp_endpoint_added(const struct mp_spans *s, const struct mp_endpoint *m)
{
	uint32_t begin = ((const uint32_t *)m->text)[s->n_parts];

	return (struct mp_str){ m->text + begin, m->len - begin };
}

/* --- the line of a span ----------------------------------------------------------------------- */

/* Puts the names of the fields of a begin event into a map. */
static void note_names(const struct mp_spans *s, const struct mp_endpoint *m, struct mp_map *names)
{
	struct mp_str rest, key, value;
	size_t i;

	for (i = 0; m->shape && i < m->shape->n; i++)
		mp_map_put(names, &m->shape->keys[i], 1, NULL);
	for (i = PART_MAIN; !m->shape && i <= PART_DERIVED; i++) {
		rest = part_text(s, m, i);
		while (mp_rec_next_field(&rest, &key, &value))
			mp_map_put(names, &key, 1, NULL);
	}
}

static struct mp_span_plan *make_plan(const struct mp_spans *s, const struct mp_endpoint *begin,
				      const struct mp_split *end)
{
	struct mp_span_plan *plan = mp_zalloc(sizeof(*plan) + end->n * sizeof(plan->at[0]));
	enum mp_field_class kind;
	struct mp_map names;
	size_t i;

	mp_map_init(&names, 0);
	note_names(s, begin, &names);
	for (kind = MP_CLASS_PAYLOAD; kind <= MP_CLASS_DERIVED; kind++) {
		for (i = 0; i < end->n; i++) {
			struct mp_str key = mp_split_key(&end->v[i]);

			if (mp_split_field_class(key) == kind && !is_ours(s, key) &&
			    !mp_map_find(&names, &key, 1))
				plan->at[plan->n++] = i;
		}
		if (kind == MP_CLASS_PAYLOAD)
			plan->n_payload = plan->n;
	}
	mp_map_release(&names);
	return plan;
}

static const struct mp_span_plan *plan_of(struct mp_spans *s, const struct mp_endpoint *begin,
					  const struct mp_split *end)
{
	struct mp_span_plan ***row, **plan;

	if (!begin->shape || !end->shape) {
		free(s->plan);
		return s->plan = make_plan(s, begin, end);
	}
	row = &s->plans[begin->shape->number];
	if (!*row)
		*row = mp_zalloc(MP_SHAPES_MAX * sizeof(**row));
	plan = &(*row)[end->shape->number];
	if (!*plan)
		*plan = make_plan(s, begin, end);
	return *plan;
}

static void put_field(struct mp_buf *line, struct mp_str text)
{
	mp_buf_str(line, text);
	mp_buf_byte(line, '\t');
}

static void put_all(struct mp_spans *s, struct mp_buf *line, const struct mp_endpoint *begin,
		    const struct mp_split *end)
{
	const struct mp_span_plan *plan = plan_of(s, begin, end);
	const struct mp_split_field *cpu = mp_split_find(end, MP_STR("cpu"));
	size_t i;

	mp_buf_str(line, part_text(s, begin, PART_HOST));
	if (cpu)
		put_field(line, cpu->text);
	else
		mp_buf_str(line, part_text(s, begin, PART_CPU));
	mp_buf_str(line, part_text(s, begin, PART_MAIN));
	for (i = 0; i < plan->n_payload; i++)
		put_field(line, end->v[plan->at[i]].text);
	mp_buf_str(line, part_text(s, begin, PART_DERIVED));
	for (; i < plan->n; i++)
		put_field(line, end->v[plan->at[i]].text);
}

static void put_chosen(struct mp_spans *s, struct mp_buf *line, const struct mp_endpoint *begin,
		       const struct mp_rec *rec, const struct mp_split *end)
{
	struct mp_str value;
	size_t part = 0, i;

	mp_buf_str(line, part_text(s, begin, part++));
	for (i = 0; i < s->specs->n_takes; i++) {
		if (!s->specs->takes[i].end)
			continue;
		if (value_for(s, i, rec, end, &value)) {
			mp_buf_str(line, s->specs->takes[i].name);
			mp_buf_byte(line, '=');
			put_field(line, value);
		}
		mp_buf_str(line, part_text(s, begin, part++));
	}
}

static void put_head(struct mp_buf *line, uint64_t time_ns, struct mp_str type)
{
	mp_buf_reserve(line, MP_NUM_MAX);
	line->len = mp_put_u64(line->p + line->len, time_ns) - line->p;
	mp_buf_byte(line, ',');
	mp_buf_str(line, type);
	mp_buf_byte(line, ',');
}

static void put_kept_stack(const struct mp_spans *s, struct mp_buf *line,
			   const struct mp_endpoint *m)
{
	struct mp_str stack = part_text(s, m, s->n_parts);

	if (!stack.len)
		return;
	mp_buf_add(line, "\tstack=", 7);
	mp_buf_add(line, stack.p + 1, stack.len - 1);
}

void mp_span_put(struct mp_spans *s, struct mp_buf *line, struct mp_str name,
		 const struct mp_endpoint *begin, const struct mp_rec *end,
		 const struct mp_split *split, struct mp_str extra, bool with_stack)
{
	put_head(line, end->time_ns, name);
	if (s->specs->chosen)
		put_chosen(s, line, begin, end, split);
	else
		put_all(s, line, begin, split);
	mp_buf_add(line, "dur=", 4);
	mp_buf_reserve(line, MP_NUM_MAX);
	line->len = mp_put_u64(line->p + line->len, end->time_ns - begin->time_ns) - line->p;
	mp_buf_str(line, extra);
	if (!with_stack)
		return;
	put_kept_stack(s, line, begin);
	if (s->stack == MP_SPAN_STACK_END && split->stack.p) {
		mp_buf_add(line, "\tstack=", 7);
		mp_buf_str(line, split->stack);
	}
}

void mp_endpoint_put(struct mp_spans *s, struct mp_buf *line, const struct mp_endpoint *m,
		     uint64_t time_ns, struct mp_str type, struct mp_str extra, bool with_stack)
{
	size_t i;

	put_head(line, time_ns, type);
	for (i = 0; i < s->n_parts; i++)
		mp_buf_str(line, part_text(s, m, i));
	mp_buf_add(line, extra.p + 1, extra.len - 1);
	if (with_stack)
		put_kept_stack(s, line, m);
}
