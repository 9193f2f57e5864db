// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pairhead.h"

#include <stdlib.h>

enum { EVENTS_MAX = 1024 };

/* Sets a member. If an object of that name exists, its members stay. */
static void set_key(json_t *object, struct mp_str key, json_t *value)
{
	char *name = mp_strndup(key.p, key.len);

	json_object_update(value, json_object_get(object, name));
	json_object_set_new(object, name, value);
	free(name);
}

static json_t *type_of(const json_t *event, const struct mp_pair_take *take)
{
	char *name = mp_strndup(take->from.name.p, take->from.name.len);
	json_t *type = json_object_get(event, name);

	free(name);
	return type;
}

static json_t *span_fields(const struct mp_pairhead *h, const json_t *begin, const json_t *end)
{
	const struct mp_pair_specs *s = h->spans->specs;
	json_t *fields = json_object(), *type;
	const char *name;
	size_t i;

	for (i = 0; i < s->n_takes; i++) {
		type = type_of(s->takes[i].end ? end : begin, &s->takes[i]);
		if (type && s->takes[i].name.p[0] == '.')
			set_key(fields, s->takes[i].name, json_incref(type));
	}
	if (s->chosen)
		return fields;
	json_object_update(fields, (json_t *)begin);
	json_object_foreach ((json_t *)end, name, type)
		if (!json_object_get(fields, name))
			json_object_set(fields, name, type);
	return fields;
}

/* Adds the spans of two types of events, which may have several names in these steps. */
static void add_types(const struct mp_pairhead *h, json_t *to_add, unsigned from, unsigned to,
		      const char *begin, const char *end, json_t *fields)
{
	struct mp_map_entry *first[MP_PAIR_SPECS_MAX], *last[MP_PAIR_SPECS_MAX];
	size_t n =
		mp_steps_names(h->steps, mp_steps_type(h->steps, mp_str(begin)), from, NULL, first);
	size_t m = mp_steps_names(h->steps, mp_steps_type(h->steps, mp_str(end)), to, NULL, last);
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < m && json_object_size(to_add) <= EVENTS_MAX; j++)
			set_key(to_add, mp_span_name(h->spans, first[i], last[j]),
				json_incref(fields));
}

/* Adds the spans from step `from` to step `to` that are possible with the types of the input. */
static void add_spans(const struct mp_pairhead *h, json_t *to_add, const json_t *events,
		      unsigned from, unsigned to)
{
	bool whole = from == 0 && to == h->last_step;
	const char *begin, *end;
	json_t *b, *e, *fields;

	json_object_foreach ((json_t *)events, begin, b) {
		if (!(mp_steps_possible(h->steps, begin) & 1u << from))
			continue;
		json_object_foreach ((json_t *)events, end, e) {
			if (!(mp_steps_possible(h->steps, end) & 1u << to) ||
			    json_object_size(to_add) > EVENTS_MAX)
				continue;
			fields = span_fields(h, b, e);
			if (h->name.len)
				set_key(to_add, whole ? h->name : h->parts[from],
					json_incref(fields));
			else
				add_types(h, to_add, from, to, begin, end, fields);
			json_decref(fields);
		}
	}
}

json_t *mp_pairhead_spans(const struct mp_pairhead *h, const json_t *events)
{
	json_t *result = json_object();
	unsigned step;

	for (step = 0; step < h->last_step; step++)
		add_spans(h, result, events, step, step + 1);
	if (h->last_step > 1)
		add_spans(h, result, events, 0, h->last_step);
	if (json_object_size(result) > EVENTS_MAX)
		/* too many, as when every system call could be paired with every return */
		json_object_clear(result);
	return result;
}
