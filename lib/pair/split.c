// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/split.h"

#include <stdlib.h>

int mp_split_context_rank(struct mp_str key)
{
	static const struct mp_str names[] = { { "host", 4 }, { "cpu", 3 },   { "pid", 3 },
					       { "tid", 3 },  { "comm", 4 },  { "period", 6 },
					       { "addr", 4 }, { "cgroup", 6 } };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_str_eq(names[i], key))
			return (int)i;
	return -1;
}

enum mp_field_class mp_split_field_class(struct mp_str key)
{
	if (key.len && key.p[0] == '.')
		return MP_CLASS_PAYLOAD;
	return mp_split_context_rank(key) >= 0 ? MP_CLASS_CONTEXT : MP_CLASS_DERIVED;
}

void mp_split_release(struct mp_split *s)
{
	free(s->v);
	*s = (struct mp_split){ NULL, NULL, 0, 0, { NULL, 0 } };
}

void mp_shapes_release(struct mp_shapes *shapes)
{
	if (shapes->ready)
		mp_map_release(&shapes->by_keys);
	mp_buf_release(&shapes->scratch);
	shapes->ready = false;
}

static void add(struct mp_split *s, const char *from, const char *end, size_t key_len)
{
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct mp_split_field){ { from, end - from }, key_len };
}

/* True if the fields are those of the shape, in its order, perhaps followed by a stack. */
static bool fits(struct mp_split *s, const struct mp_shape *shape, struct mp_str body)
{
	const char *p = body.p, *end = body.p + body.len, *tab;
	size_t i;

	for (i = 0; i < shape->n; i++) {
		size_t len = shape->keys[i].len;

		if ((size_t)(end - p) <= len || p[len] != '=' ||
		    memcmp(p, shape->keys[i].p, len) != 0)
			return false;
		tab = memchr(p + len, '\t', end - p - len);
		add(s, p, tab ? tab : end, len);
		if (!tab)
			return i + 1 == shape->n;
		p = tab + 1;
	}
	if (end - p < 6 || memcmp(p, "stack=", 6) != 0 || memchr(p, '\t', end - p))
		return false;
	s->stack = (struct mp_str){ p + 6, end - p - 6 };
	return true;
}

static void split_any(struct mp_split *s, struct mp_str body)
{
	struct mp_str key, value;

	while (mp_rec_next_field(&body, &key, &value)) {
		if (mp_str_eq(key, MP_STR("stack")))
			s->stack = value;
		else
			add(s, key.p, value.p + value.len, key.len);
	}
}

static void make_shape(struct mp_shapes *shapes, struct mp_map_entry *e, const struct mp_split *s)
{
	struct mp_shape *shape = mp_map_value(e);
	const char *p = e->key.p;
	size_t i;

	shape->number = shapes->by_keys.n - 1;
	shape->n = s->n;
	shape->keys = mp_arena_alloc(&shapes->by_keys.arena, s->n * sizeof(*shape->keys));
	for (i = 0; i < s->n; i++) {
		shape->keys[i] = (struct mp_str){ p, s->v[i].key_len };
		p += s->v[i].key_len + 1;
	}
}

/* The shape of an event that has been split; NULL if it would be one too many. */
static const struct mp_shape *shape_of(struct mp_shapes *shapes, const struct mp_split *s)
{
	struct mp_map_entry *e;
	struct mp_str joined;
	bool fresh;
	size_t i;

	if (!shapes->ready)
		mp_map_init(&shapes->by_keys, sizeof(struct mp_shape));
	shapes->ready = true;
	shapes->scratch.len = 0;
	for (i = 0; i < s->n; i++) {
		mp_buf_str(&shapes->scratch, mp_split_key(&s->v[i]));
		mp_buf_byte(&shapes->scratch, '=');
	}
	joined = mp_buf_view(&shapes->scratch);
	e = mp_map_find(&shapes->by_keys, &joined, 1);
	if (e || shapes->by_keys.n == MP_SHAPES_MAX)
		return e ? mp_map_value(e) : NULL;
	e = mp_map_put(&shapes->by_keys, &joined, 1, &fresh);
	make_shape(shapes, e, s);
	return mp_map_value(e);
}

void mp_split(struct mp_split *s, struct mp_shapes *shapes, const struct mp_shape **hint,
	      const struct mp_rec *rec)
{
	s->n = 0;
	s->stack = (struct mp_str){ NULL, 0 };
	if (*hint && fits(s, *hint, rec->body)) {
		s->shape = *hint;
		return;
	}
	s->n = 0;
	s->stack.p = NULL;
	split_any(s, rec->body);
	s->shape = *hint = shape_of(shapes, s);
}

const struct mp_split_field *mp_split_find(const struct mp_split *s, struct mp_str key)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (mp_str_eq(mp_split_key(&s->v[i]), key))
			return &s->v[i];
	return NULL;
}

bool mp_split_get(const struct mp_split *s, const struct mp_rec *rec, const struct mp_field *f,
		  struct mp_split_place *place, struct mp_str *value)
{
	const struct mp_split_field *field;

	if (f->id != MP_FIELD_KEY)
		return mp_rec_get(rec, f, value);
	if (s->shape && place->shape == s->shape) {
		field = place->at < s->n ? &s->v[place->at] : NULL;
	} else {
		field = mp_split_find(s, f->name);
		place->shape = s->shape;
		place->at = field ? (size_t)(field - s->v) : SIZE_MAX;
	}
	if (field)
		*value = mp_split_value(field);
	return field || (rec->host.p && mp_rec_get(rec, f, value));
}
