// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/field_check.h"

#include <stdlib.h>

#include "lib/core/suggest.h"

/* number of events whose field names are remembered: enough for several types */
enum { LEARNED_MAX = 64 };

/* Fields that the stream defines: a header does not list them. */
static const char *const standard[] = { "time",	  "type",  "host",   "cpu",    "pid",
					"tid",	  "comm",  "addr",   "period", "dur",
					"cgroup", "stack", "op",     "level",  "latency",
					"tlb",	  "snoop", "lock",   "x",      "y",
					"info",	  "age",   "weight", "nspid",  "nstid" };

void mp_field_check_release(struct mp_field_check *c)
{
	free(c->v);
	if (c->has_seen)
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

	for (i = 0; f->computed && i < f->computed->n_fields; i++)
		add(c, &f->computed->fields[i], option, roles);
	add(c, f, option, roles);
}

void mp_field_check_drop(struct mp_field_check *c, const char *option)
{
	size_t i, kept = 0;

	for (i = 0; i < c->n; i++)
		if (strcmp(c->v[i].option, option) != 0)
			c->v[kept++] = c->v[i];
	c->n = kept;
}

/* --- names that may have been meant ----------------------------------------------------------- */

static void note(struct mp_field_check *c, struct mp_str name)
{
	if (!c->has_seen)
		mp_map_init(&c->seen, 0);
	c->has_seen = true;
	if (name.len <= 127)
		mp_map_put(&c->seen, &name, 1, NULL);
}

void mp_field_check_learn(struct mp_field_check *c, const struct mp_rec *rec)
{
	static const struct mp_str of_points[] = { { "x", 1 }, { "y", 1 }, { "info", 4 } };
	struct mp_str rest = rec->body, key, value;
	size_t i;

	if (c->learned == LEARNED_MAX)
		return;
	while (rec->kind == MP_EVENT && mp_rec_next_field(&rest, &key, &value))
		note(c, key);
	for (i = 0; i < MP_ARRAY_SIZE(of_points) && rec->kind == MP_POINT; i++)
		note(c, of_points[i]);
	c->learned++;
}

/* Whether two names differ only in the leading dot of a payload field. */
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

	if (!c->has_seen)
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

/* --- by the header ---------------------------------------------------------------------------- */

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
	return !some; /* these events may be in another section */
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
		/*
		 * these events may be in another input, or a filter made fields that its header
		 * does not list
		 */
		return;
	for (i = 0; i < c->n; i++) {
		const struct mp_field_named *f = &c->v[i];

		if (f->field.id == MP_FIELD_KEY && !mp_field_is_standard(f->field.name) &&
		    !lists(f, ctl, roles, arg))
			refuse(c, f, ctl, roles, arg);
	}
}

/* --- by the records --------------------------------------------------------------------------- */

/*
 * Whether a record has a field. In a dump of mp-hist, fields of points are also keys of an event.
 */
static bool has(const struct mp_rec *rec, const struct mp_field *f)
{
	struct mp_field key = { .id = MP_FIELD_KEY, .name = f->name };
	struct mp_str value;

	return mp_rec_get(rec, f, &value) ||
	       (rec->kind == MP_EVENT && f->id != MP_FIELD_KEY && mp_rec_get(rec, &key, &value));
}

void mp_field_check_look(struct mp_field_check *c, const struct mp_rec *rec, uint32_t roles)
{
	bool open = false;
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct mp_field_named *f = &c->v[i];

		if (f->found)
			continue;
		f->needed += !!(f->roles & roles);
		if (f->roles & roles && has(rec, &f->field))
			f->found++;
		else
			open = true;
	}
	c->open = open;
	if (open)
		mp_field_check_learn(c, rec);
}

/* Whether a field that was never there explains a later one: named twice, or part of a sum. */
static bool explains(const struct mp_field_named *missing, const struct mp_field_named *f)
{
	size_t i;

	if (!missing->needed || missing->found || strcmp(missing->option, f->option) != 0)
		return false;
	for (i = 0; f->field.computed && i < f->field.computed->n_fields; i++)
		if (mp_str_eq(missing->field.name, f->field.computed->fields[i].name))
			return true;
	return mp_str_eq(missing->field.name, f->field.name);
}

static void report(const struct mp_field_check *c, const struct mp_field_named *f)
{
	const char *why = mp_field_why(&f->field, NULL);
	char *meant = near(c, f->field.name);

	if (f->field.computed)
		mp_say("'%.*s' of %s has no value in any of the %llu records that needed it%s%s",
		       MP_STR_ARGS(f->field.name), f->option, (unsigned long long)f->needed,
		       why ? ": " : "", why ? why : "");
	else
		mp_say("field '%.*s' of %s was in none of the %llu records that needed it%s%s%s",
		       MP_STR_ARGS(f->field.name), f->option, (unsigned long long)f->needed,
		       meant ? ": did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
	free(meant);
}

enum mp_status mp_field_check_report(const struct mp_field_check *c)
{
	enum mp_status status = MP_OK;
	size_t i, j;

	for (i = 0; i < c->n; i++) {
		bool explained = false;

		for (j = 0; j < i; j++)
			explained |= explains(&c->v[j], &c->v[i]);
		if (!c->v[i].needed || c->v[i].found || explained)
			continue;
		report(c, &c->v[i]);
		status = MP_LOSSY;
	}
	return status;
}
