// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/traced.h"

#include <stdlib.h>

static const char *const prefixes[] = {
	[MP_TRACED_ENTRY] = "fentry:",
	[MP_TRACED_EXIT] = "fexit:",
	[MP_TRACED_POINT] = "rawtp:",
};

bool mp_tracing_kind(const char *name, enum mp_traced *traced, const char **rest)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(prefixes); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) != 0)
			continue;
		*traced = (enum mp_traced)i;
		*rest = name + strlen(prefixes[i]);
		return true;
	}
	return false;
}

struct mp_tracing *mp_tracing_parse(const char *name, struct mp_tp **tp, char **error)
{
	struct mp_tracing *t = mp_zalloc(sizeof(*t));
	char *list = NULL, *why = NULL;
	struct mp_prototype found = { .tp = NULL };
	const char *rest, *open;

	mp_tracing_kind(name, &t->traced, &rest);
	open = strchr(rest, '(');
	t->name = open ? mp_strndup(rest, open - rest) : mp_strdup(rest);
	if (open && rest[strlen(rest) - 1] == ')')
		list = mp_strndup(open + 1, strlen(open) - 2);
	if (open && !list)
		why = mp_asprintf("unexpected '%s'", open);
	else
		mp_prototype_find(&found, t->traced, t->name, list, &why);
	free(list);
	if (!why) {
		t->setup = found.setup;
		*tp = found.tp;
		(*tp)->system = mp_strndup(prefixes[t->traced], strlen(prefixes[t->traced]) - 1);
		(*tp)->name = mp_strdup(t->name);
		return t;
	}
	*error = mp_asprintf("%s%s: %s", prefixes[t->traced], t->name, why);
	free(why);
	mp_tracing_free(t);
	return NULL;
}

void mp_tracing_free(struct mp_tracing *t)
{
	if (!t)
		return;
	free(t->name);
	free(t);
}

static const struct mp_tracing_field *field_of(const struct mp_traced_fields *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->tp->n_fields; i++)
		if (strcmp(e->tp->fields[i].name, name) == 0)
			return &e->tracing->setup.fields[i];
	return NULL;
}

static bool fit(const struct mp_traced_fields *to, const struct mp_traced_fields *from)
{
	const struct mp_tracing_field *known, *added;
	size_t n = to->tp->n_fields, texts = 0, i;

	for (i = 0; i < n; i++)
		texts += to->tracing->setup.fields[i].kind != MP_TRACING_NUMBER;
	for (i = 0; i < from->tp->n_fields; i++) {
		known = field_of(to, from->tp->fields[i].name);
		added = &from->tracing->setup.fields[i];
		if (known && memcmp(known, added, sizeof(*added)) != 0)
			return false;
		n += !known;
		texts += !known && added->kind != MP_TRACING_NUMBER;
	}
	return n <= MP_TRACING_FIELDS && texts <= MP_TRACING_TEXTS;
}

int mp_tracing_merge(const struct mp_traced_fields *to, const struct mp_traced_fields *from)
{
	struct mp_tracing_setup *setup = &to->tracing->setup;
	size_t i;

	if (!fit(to, from))
		return -1;
	for (i = 0; i < from->tp->n_fields; i++) {
		const struct mp_tp_field *field = &from->tp->fields[i];

		if (field_of(to, field->name))
			continue;
		setup->fields[setup->n_fields] = from->tracing->setup.fields[i];
		to->tp->fields[to->tp->n_fields] = *field;
		to->tp->fields[to->tp->n_fields].name = mp_strdup(field->name);
		to->tp->fields[to->tp->n_fields++].offset = mp_tracing_offset(setup->n_fields++);
	}
	return 0;
}
