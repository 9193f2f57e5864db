// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/types.h"

#include <jansson.h>
#include <stdlib.h>

enum { LISTED_MAX = 4 };

void mp_types_init(struct mp_types *t)
{
	*t = (struct mp_types){ .globs = NULL };
	mp_map_init(&t->seen, sizeof(struct mp_type_seen));
}

void mp_types_release(struct mp_types *t)
{
	free(t->globs);
	mp_map_release(&t->seen);
}

void mp_types_add(struct mp_types *t, const char *list)
{
	t->mixed = true;
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len) {
			t->globs = mp_grow(t->globs, &t->cap, t->n_globs + 1, sizeof(*t->globs));
			mp_glob_init(&t->globs[t->n_globs++], (struct mp_str){ list, len });
		}
		list += len + (list[len] == ',');
	}
}

bool mp_types_match(const struct mp_types *t, struct mp_str type)
{
	size_t i;

	for (i = 0; i < t->n_globs; i++)
		if (mp_glob_match(&t->globs[i], type))
			return true;
	return t->n_globs == 0;
}

bool mp_types_expected(const struct mp_types *t, struct mp_str type)
{
	return mp_types_match(t, type) && (!t->named || mp_map_find(&t->seen, &type, 1));
}

struct mp_type_seen *mp_types_lookup(struct mp_types *t, struct mp_str type)
{
	struct mp_type_seen *seen;
	bool fresh;

	t->last = mp_map_put(&t->seen, &type, 1, &fresh);
	seen = mp_map_value(t->last);
	if (fresh) {
		seen->taken = mp_types_match(t, t->last->key);
		t->taken += seen->taken;
	}
	return seen;
}

uint32_t mp_types_roles(void *types, const char *type)
{
	return mp_types_lookup(types, mp_str(type))->taken ? ~0u : 0;
}

void mp_types_header(struct mp_types *t, const struct json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *type;

	t->named |= json_is_object(events);
	json_object_foreach (events, type, fields)
		mp_types_lookup(t, mp_str(type));
}

char *mp_types_list(const struct mp_types *t)
{
	struct mp_buf text = { NULL, 0, 0 };
	const struct mp_map_entry *e;
	size_t n = 0;

	mp_map_each (&t->seen, e) {
		const struct mp_type_seen *seen = mp_map_value(e);

		if (!seen->taken)
			continue;
		if (n++ < LISTED_MAX)
			mp_buf_printf(&text, "%s%.*s", n > 1 ? ", " : "", MP_STR_ARGS(e->key));
	}
	if (n > LISTED_MAX)
		mp_buf_printf(&text, " and %zu more", n - LISTED_MAX);
	mp_buf_byte(&text, '\0');
	return text.p;
}

char *mp_types_mixture(const struct mp_types *t)
{
	char *list, *text;

	if (t->mixed || t->taken < 2)
		return NULL;
	list = mp_types_list(t);
	text = mp_asprintf("the input has several types of events (%s): choose with -e, or %s",
			   list, t->remedy);
	free(list);
	return text;
}

void mp_types_refuse_mixture(const struct mp_types *t)
{
	char *text = mp_types_mixture(t);

	if (text)
		mp_usage("%s", text);
}

void mp_types_report(const struct mp_types *t)
{
	if (t->n_globs && !t->taken && t->seen.n)
		mp_say("no event matches -e; the input has '%.*s'%s",
		       MP_STR_ARGS(t->seen.first->key), t->seen.n > 1 ? " and others" : "");
}
