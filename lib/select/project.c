// SPDX-License-Identifier: GPL-2.0-only
#include "lib/select/project.h"

#include <stdlib.h>

void mp_project_init(struct mp_project *k, bool drop)
{
	*k = (struct mp_project){ .drop = drop };
}

int mp_project_add(struct mp_project *k, const char *list, struct mp_str *bad)
{
	size_t i, before = k->fields.n;

	if (mp_fields_parse(&k->fields, list, bad) < 0)
		return -1;
	for (i = before; i < k->fields.n; i++) {
		enum mp_field_id id = k->fields.v[i].id;

		*bad = k->fields.v[i].name;
		if (id != MP_FIELD_KEY && id != MP_FIELD_STACK && id != MP_FIELD_TIME &&
		    id != MP_FIELD_TYPE)
			return -1;
		if (k->drop && (id == MP_FIELD_TIME || id == MP_FIELD_TYPE))
			return -1;
		if (k->drop && mp_field_is_standard(*bad))
			/*
			 * dropping a field that no event has is not an error if mp-stream(5)
			 * defines the field
			 */
			continue;
		mp_field_check_add(&k->names, &k->fields.v[i], k->drop ? "--drop" : "--fields",
				   ~0u);
	}
	return 0;
}

void mp_project_release(struct mp_project *k)
{
	mp_fields_release(&k->fields);
	mp_field_check_release(&k->names);
}

static bool is_listed(const struct mp_project *k, struct mp_str name)
{
	size_t i;

	for (i = 0; i < k->fields.n; i++)
		if (mp_str_eq(k->fields.v[i].name, name))
			return true;
	return false;
}

bool mp_project_has(const struct mp_project *k, struct mp_str name)
{
	return is_listed(k, name) != k->drop;
}

void mp_project_check(struct mp_project *k, const struct mp_rec *rec)
{
	if (rec->kind == MP_EVENT)
		mp_field_check_record(&k->names, rec, ~0u);
}

void mp_project_write(const struct mp_project *k, const struct mp_rec *rec, struct mp_out *out)
{
	struct mp_str rest = rec->body, key, value;
	const char *run = NULL; /* adjacent fields that are kept are copied together */
	bool first = true;

	mp_out_write(out, rec->line.p, rec->body.p - rec->line.p);
	for (;;) {
		bool more = mp_rec_next_field(&rest, &key, &value), stays = false;

		if (more) {
			stays = mp_project_has(k, key);
		}
		if (stays && !run)
			run = key.p;
		if (run && !stays) {
			const char *end = more ? key.p - 1 : rec->line.p + rec->line.len;

			if (!first)
				mp_out_write(out, "\t", 1);
			mp_out_write(out, run, end - run);
			first = false;
			run = NULL;
		}
		if (!more)
			break;
	}
	mp_out_write(out, "\n", 1);
}

static void keep_of_type(const struct mp_project *k, json_t *fields)
{
	const char *name;
	json_t *type;
	void *next;

	json_object_foreach_safe(fields, next, name, type)
	{
		if (!mp_project_has(k, mp_str(name)))
			json_object_del(fields, name);
	}
}

void mp_project_header(const struct mp_project *k, json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *type;

	json_object_foreach (events, type, fields)
		keep_of_type(k, fields);
	if (!mp_project_has(k, MP_STR("stack")))
		json_object_del(header, "stacks");
}

void mp_project_control(struct mp_project *k, const struct mp_ctl *ctl)
{
	mp_field_check_header(&k->names, ctl, NULL, NULL);
}

enum mp_status mp_project_report(const struct mp_project *k)
{
	return mp_field_check_report(&k->names);
}
