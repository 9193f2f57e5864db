// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/choice.h"

#include <stdlib.h>
#include <string.h>

void mp_choice_init(struct mp_choice *c, const char *remedy)
{
	*c = (struct mp_choice){ .weight = { .name = { NULL, 0 } } };
	mp_types_init(&c->types);
	c->types.remedy = remedy;
}

void mp_choice_release(struct mp_choice *c)
{
	mp_types_release(&c->types);
	mp_fields_release(&c->by);
}

struct mp_field mp_choice_field(const struct mp_program *program, int code, const char *arg)
{
	struct mp_field f;

	if (mp_field_parse(&f, mp_str(arg)) < 0)
		mp_opt_bad(program, code, arg, "a field name");
	return f;
}

void mp_choice_fields(struct mp_fields *fields, const char *list)
{
	struct mp_str bad;

	if (mp_fields_parse(fields, list, &bad) < 0)
		mp_usage("'%.*s' is not a field name", MP_STR_ARGS(bad));
	if (fields->n > MP_CHOICE_FIELDS_MAX)
		mp_usage("more than %d fields", MP_CHOICE_FIELDS_MAX);
}

bool mp_choice_has_type(const struct mp_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (fields->v[i].id == MP_FIELD_TYPE)
			return true;
	return false;
}

bool mp_choice_option(struct mp_choice *c, const struct mp_program *program, int code,
		      const char *arg)
{
	switch (code) {
	case 'e':
		mp_types_add(&c->types, arg);
		return true;
	case 'b':
		mp_choice_fields(&c->by, arg);
		c->types.mixed |= mp_choice_has_type(&c->by);
		return true;
	case 'w':
		c->weight = (struct mp_field){ .name = { NULL, 0 } };
		if (strcmp(arg, "count") != 0)
			c->weight = mp_choice_field(program, code, arg);
		return true;
	case 'i':
		c->interval.length_ns = mp_opt_duration(program, code, arg);
		return true;
	default:
		return false;
	}
}

bool mp_choice_concerns(void *arg, const struct mp_ctl *loss)
{
	return !loss->type || mp_types_expected(arg, mp_str(loss->type));
}

bool mp_choice_control(struct mp_choice *c, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER) {
		mp_types_header(&c->types, ctl->json);
		mp_types_refuse_mixture(&c->types);
	}
	return mp_interval_control(&c->interval, ctl);
}

bool mp_choice_take(struct mp_choice *c, const struct mp_rec *rec)
{
	if (!mp_types_take(&c->types, rec))
		return false;
	mp_types_refuse_mixture(&c->types);
	return true;
}

int mp_choice_weight(const struct mp_field *field, const struct mp_rec *rec, int64_t *weight,
		     const char **why)
{
	struct mp_str text;

	*weight = 1;
	if (!field->name.p)
		return 1;
	*why = "record without the field that is its weight";
	if (!mp_rec_get(rec, field, &text))
		return 0;
	*why = "weight is not a whole number";
	return mp_num_any(text, weight) < 0 ? -1 : 1;
}
