// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/field_check.h"

#include <stdlib.h>

#include "lib/core/suggest.h"

enum { LEARNED_MAX = 64 }; /* events: several types, but no matter how long the input is */

/* Fields that the stream defines: a header does not list them. */
static const char *const standard[] = { "time", "type",	 "host",    "cpu", "pid",    "tid",
					"comm", "addr",	 "period",  "dur", "cgroup", "stack",
					"op",	"level", "latency", "tlb", "snoop",  "lock",
					"x",	"y",	 "info",    "age", "weight" };

void mp_field_check_release(struct mp_field_check *c)
{
	free(c->v);
	if (c->learned)
		mp_map_release(&c->seen);
	*c = (struct mp_field_check){ .n = 0 };
}

static void add(struct mp_field_check *c, const struct mp_field *f, const char *option,
		uint32_t roles)
{
	c->v = mp_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = (struct mp_field_named){ *f, option, roles, 0, 0 };
	c->open = true;
}

void mp_field_check_add(struct mp_field_check *c, const struct mp_field *f, const char *option,
			uint32_t roles)
{
	size_t i;

	if (f->id != MP_FIELD_COMPUTED)
		add(c, f, option, roles);
	else
		for (i = 0; i < f->computed->n_fields; i++)
			add(c, &f->computed->fields[i], option, roles);
}

void mp_field_check_add_all(struct mp_field_check *c, const struct mp_fields *fields,
			    const char *option)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		mp_field_check_add(c, &fields->v[i], option, ~0u);
}

void mp_field_check_drop(struct mp_field_check *c, const char *option)
{
	size_t i, kept = 0;

	for (i = 0; i < c->n; i++)
		if (strcmp(c->v[i].option, option) != 0)
			c->v[kept++] = c->v[i];
	c->n = kept;
}

/* --- names that may have been meant ------------------------------------------------------------------- */

static void note(struct mp_field_check *c, struct mp_str name)
{
	if (!c->learned)
		mp_map_init(&c->seen, 0);
	c->learned = MP_MAX(c->learned, 1u);
	if (name.len <= 127)
		mp_map_put(&c->seen, &name, 1, NULL);
}

void mp_field_check_learn(struct mp_field_check *c, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;

	if (rec->kind != MP_EVENT || c->learned > LEARNED_MAX)
		return;
	while (mp_rec_next_field(&rest, &key, &value))
		note(c, key);
	c->learned++;
}

/* Whether they differ in the dot of a payload's field alone. */
static bool dot_apart(struct mp_str a, struct mp_str b)
{
	struct mp_str with = a.len > b.len ? a : b, without = a.len > b.len ? b : a;

	return with.len == without.len + 1 && *with.p == '.' &&
	       memcmp(with.p + 1, without.p, without.len) == 0;
}

/* The name that is nearest to another, NULL if none is near. Owned by the caller. */
static char *near(const struct mp_field_check *c, struct mp_str name)
{
	const struct mp_map_entry *e;
	struct mp_suggest n;
	char *word;

	if (!c->learned)
		return NULL;
	mp_map_each (&c->seen, e)
		if (dot_apart(e->key, name))
			return mp_strdup(e->key.p);
	word = mp_strndup(name.p, name.len);
	mp_suggest_init(&n, word);
	mp_map_each (&c->seen, e)
		mp_suggest_try(&n, e->key.p);
	free(word);
	return n.best;
}

/* --- by the header ------------------------------------------------------------------------------------ */

bool mp_field_is_standard(struct mp_str name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(standard); i++)
		if (mp_str_eq(name, mp_str(standard[i])))
			return true;
	return false;
}

/* Whether a header lists a field for a type of event that has one of the roles. */
static bool lists(const struct mp_field_named *f, const struct mp_ctl *ctl,
		  uint32_t (*roles)(void *arg, const char *type), void *arg)
{
	json_t *events = json_object_get(ctl->json, "events"), *fields, *value;
	bool some = false;
	const char *type, *name;

	json_object_foreach (events, type, fields) {
		if (roles && !(roles(arg, type) & f->roles))
			continue;
		some = true;
		json_object_foreach (fields, name, value)
			if (mp_str_eq(f->field.name, mp_str(name)))
				return true;
	}
	return !some; /* another section may have these events */
}

static _Noreturn void refuse(struct mp_field_check *c, const struct mp_field_named *f,
			     const struct mp_ctl *ctl,
			     uint32_t (*roles)(void *arg, const char *type), void *arg)
{
	json_t *fields, *value;
	const char *type, *name;
	char *meant;
	size_t i;

	json_object_foreach (json_object_get(ctl->json, "events"), type, fields)
		json_object_foreach (fields, name, value)
			if (!roles || roles(arg, type) & f->roles)
				note(c, mp_str(name));
	for (i = 0; i < MP_ARRAY_SIZE(standard); i++)
		note(c, mp_str(standard[i]));
	meant = near(c, f->field.name);
	mp_die("%s: field '%.*s' of %s is not in the header's list of fields%s%s%s", ctl->sole,
	       MP_STR_ARGS(f->field.name), f->option, meant ? ": did you mean '" : "",
	       meant ? meant : "", meant ? "'?" : "");
}

void mp_field_check_header(struct mp_field_check *c, const struct mp_ctl *ctl,
			   uint32_t (*roles)(void *arg, const char *type), void *arg)
{
	size_t i;

	if (!c->n || c->judged || ctl->what != MP_CTL_HEADER || ctl->datatype != MP_EVENT)
		return;
	c->judged = true;
	if (!ctl->sole || json_object_get(ctl->json, "sections"))
		return; /* another input may have it, or a filter made fields that it did not list */
	for (i = 0; i < c->n; i++) {
		const struct mp_field_named *f = &c->v[i];

		if (f->field.id == MP_FIELD_KEY && !mp_field_is_standard(f->field.name) &&
		    !lists(f, ctl, roles, arg))
			refuse(c, f, ctl, roles, arg);
	}
}

/* --- by the records ----------------------------------------------------------------------------------- */

void mp_field_check_look(struct mp_field_check *c, const struct mp_rec *rec, uint32_t roles)
{
	struct mp_str value;
	bool open = false;
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct mp_field_named *f = &c->v[i];

		if (f->found)
			continue;
		f->needed += !!(f->roles & roles);
		if (f->roles & roles && mp_rec_get(rec, &f->field, &value))
			f->found++;
		else
			open = true;
	}
	c->open = open;
	if (open)
		mp_field_check_learn(c, rec);
}

enum mp_status mp_field_check_report(const struct mp_field_check *c)
{
	enum mp_status status = MP_OK;
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct mp_field_named *f = &c->v[i];
		char *meant;

		if (!f->needed || f->found)
			continue;
		meant = near(c, f->field.name);
		mp_say("field '%.*s' of %s was in none of the %llu records that needed it%s%s%s",
		       MP_STR_ARGS(f->field.name), f->option, (unsigned long long)f->needed,
		       meant ? ": did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
		free(meant);
		status = MP_LOSSY;
	}
	return status;
}
