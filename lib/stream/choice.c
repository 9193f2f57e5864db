// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/choice.h"

#include <stdlib.h>
#include <string.h>

#include "lib/stream/named.h"

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
	mp_field_release(&c->weight);
	mp_field_check_release(&c->names);
}

/* Ends the program if the text looks like a sum of fields, with the reason why it is not one. */
static void refuse_sum(struct mp_str text, const struct mp_expr_error *error)
{
	struct mp_buf why = { NULL, 0, 0 };
	char *copy = mp_strndup(text.p, text.len);

	if (strpbrk(copy, "+-*/%()")) {
		mp_expr_describe(&why, copy, error);
		mp_usage("'%s': %.*s", copy, MP_STR_ARGS(mp_buf_view(&why)));
	}
	free(copy);
}

struct mp_field mp_choice_field(const struct mp_program *program, int code, const char *arg)
{
	struct mp_expr_error error;
	struct mp_field f;

	if (mp_expr_field(&f, mp_str(arg), &error) < 0) {
		refuse_sum(mp_str(arg), &error);
		mp_opt_bad(program, code, arg, "a field name");
	}
	return f;
}

void mp_choice_fields(struct mp_fields *fields, const char *list, struct mp_field_check *check,
		      const char *option)
{
	struct mp_expr_error error;
	struct mp_str bad;
	size_t i = fields->n;

	if (mp_expr_field_list(fields, list, &bad, &error) < 0) {
		refuse_sum(bad, &error);
		mp_usage("'%.*s' is not a field name", MP_STR_ARGS(bad));
	}
	if (fields->n > MP_CHOICE_FIELDS_MAX)
		mp_usage("more than %d fields", MP_CHOICE_FIELDS_MAX);
	for (; check && i < fields->n; i++)
		mp_field_check_add(check, &fields->v[i], option, MP_CHOICE_KEY);
}

void mp_choice_name(struct mp_choice *c, const struct mp_field *f, const char *option,
		    uint32_t role)
{
	mp_field_check_drop(&c->names, option);
	mp_field_check_add(&c->names, f, option, role);
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
		mp_choice_fields(&c->by, arg, &c->names, "--by");
		c->types.mixed |= mp_choice_has_type(&c->by);
		return true;
	case 'w':
		mp_field_release(&c->weight);
		c->weight = mp_choice_field(program, code, arg);
		mp_choice_name(c, &c->weight, "--weight", MP_CHOICE_NUMBER);
		/* a field that may be absent: an event without `period` has a period of 1 */
		if (strcmp(arg, "count") == 0 || strcmp(arg, "period") == 0)
			mp_field_check_drop(&c->names, "--weight");
		if (strcmp(arg, "count") == 0)
			c->weight = (struct mp_field){ .name = { NULL, 0 } };
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

void mp_choice_header(struct mp_choice *c, const struct mp_ctl *ctl)
{
	mp_field_check_header(&c->names, ctl, mp_types_roles, &c->types);
}

bool mp_choice_control(struct mp_choice *c, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER) {
		mp_types_header(&c->types, ctl->json);
		mp_types_refuse_mixture(&c->types);
		mp_choice_header(c, ctl);
	}
	return mp_interval_control(&c->interval, ctl);
}

bool mp_choice_take(struct mp_choice *c, const struct mp_rec *rec)
{
	if (!mp_types_take(&c->types, rec))
		return false;
	mp_types_refuse_mixture(&c->types);
	mp_choice_look(c, rec);
	return true;
}

enum mp_status mp_choice_finish(struct mp_choice *c, enum mp_status status)
{
	enum mp_status named = mp_field_check_report(&c->names);

	mp_types_report(&c->types);
	return MP_MAX(status, named);
}

const char *mp_choice_why_not_whole(const struct mp_field *weight)
{
	return weight->computed ? "weight is not a whole number (// divides without a remainder)"
				: "weight is not a whole number";
}

int mp_choice_weight(const struct mp_field *field, const struct mp_rec *rec, int64_t *weight,
		     const char **why)
{
	struct mp_str text;

	*weight = 1;
	if (!field->name.p)
		return 1;
	if (!mp_rec_get(rec, field, &text)) {
		if (mp_str_eq(field->name, MP_STR("period")))
			return 1;
		*why = mp_field_why(field, "record without the field that is its weight");
		return 0;
	}
	*why = mp_choice_why_not_whole(field);
	return mp_num_any(mp_named_number(text), weight) < 0 ? -1 : 1;
}
