// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/reader.h"

#include "lib/stream/unit.h"

void mp_fold_reader_init(struct mp_fold_reader *r)
{
	*r = (struct mp_fold_reader){ .no_comm = false };
	mp_choice_init(&r->choice, "keep them apart with --by type,comm");
}

bool mp_fold_reader_option(struct mp_fold_reader *r, const struct mp_program *program, int code,
			   const char *arg)
{
	static const char *const unknown[] = { "address", "merge", NULL };

	if (mp_choice_option(&r->choice, program, code, arg))
		return true;
	switch (code) {
	case MP_FOLD_FOCUS:
		mp_fold_globs_add(&r->style.focus, arg);
		return true;
	case MP_FOLD_IGNORE:
		mp_fold_globs_add(&r->style.ignore, arg);
		return true;
	case MP_FOLD_SHOW_FROM:
		mp_fold_globs_add(&r->style.show_from, arg);
		return true;
	case MP_FOLD_NO_COMM:
		r->no_comm = true;
		return true;
	case MP_FOLD_DEPTH:
		r->style.depth = mp_opt_number(program, code, arg, 1, UINT32_MAX);
		return true;
	case MP_FOLD_KERNEL:
		r->style.kernel_only = true;
		return true;
	case MP_FOLD_USER:
		r->style.user_only = true;
		return true;
	case MP_FOLD_MERGE_RECURSIVE:
		r->style.merge_recursive = true;
		return true;
	case MP_FOLD_UNKNOWN:
		r->style.merge_unknown = mp_opt_word(program, code, arg, unknown) == 1;
		return true;
	case MP_FOLD_SAMPLES:
		r->samples = true;
		return true;
	case MP_FOLD_EXACT:
		r->style.common_names = false;
		return true;
	case MP_FOLD_REVERSE:
		r->style.reverse = true;
		return true;
	default:
		return false;
	}
}

void mp_fold_reader_begin(struct mp_fold_reader *r)
{
	struct mp_fields *by = &r->choice.by;
	size_t i;

	if (r->no_comm && by->n)
		mp_usage("--by cannot be combined with --no-comm");
	if (r->style.kernel_only && r->style.user_only)
		mp_usage("--kernel cannot be combined with --user");
	if (!by->n && !r->no_comm)
		mp_choice_fields(by, "comm", NULL, NULL);
	for (i = 0; i < by->n; i++)
		if (by->v[i].id == MP_FIELD_STACK)
			mp_usage("the stack cannot be put in front of itself");
	mp_fold_init(&r->fold, by);
}

/* Selects in-kernel aggregates by their names, as events are selected by their types. */
static void begin_stacks(struct mp_fold_reader *r, const struct mp_ctl *ctl)
{
	const char *weight = json_string_value(json_object_get(ctl->json, "weight"));
	json_t *name = json_object_get(ctl->json, "sum");
	struct mp_type_seen *seen;

	r->skip_stacks = false;
	r->known_stacks = weight;
	r->counted_stacks = weight && strcmp(weight, "count") == 0;
	if (json_is_string(name)) {
		seen = mp_types_lookup(&r->choice.types,
				       (struct mp_str){ json_string_value(name),
							json_string_length(name) });
		r->skip_stacks = !seen->taken;
		if (seen->taken && !r->aggregates)
			r->aggregates = json_incref(ctl->json);
		mp_types_refuse_mixture(&r->choice.types);
	}
	if (!r->skip_stacks && !r->stacks)
		r->stacks = json_incref(ctl->json);
}

bool mp_fold_reader_control(struct mp_fold_reader *r, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER)
		mp_ctl_origin(&r->origin, ctl);
	if (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_STACK)
		begin_stacks(r, ctl);
	return mp_choice_control(&r->choice, ctl);
}

void mp_fold_reader_next_input(struct mp_fold_reader *r)
{
	r->known_stacks = r->skip_stacks = false;
}

/* Whether the weight of a record is a number of samples or events. */
static bool is_count(const struct mp_fold_reader *r, const struct mp_rec *rec)
{
	if (rec->kind == MP_STACK && r->known_stacks)
		return r->counted_stacks;
	return r->samples || (rec->kind == MP_EVENT && !r->choice.weight.name.p);
}

static int take(struct mp_fold_reader *r, const struct mp_rec *rec, int64_t *weight,
		const char **why)
{
	*weight = rec->weight;
	if (rec->kind == MP_STACK)
		return !r->skip_stacks;
	if (rec->kind != MP_EVENT)
		return 1;
	if (!mp_choice_take(&r->choice, rec))
		return 0;
	return mp_choice_weight(&r->choice.weight, rec, weight, why) == 1 ? 1 : -1;
}

int mp_fold_reader_take(struct mp_fold_reader *r, const struct mp_rec *rec, int64_t *weight,
			const char **why)
{
	int taken = take(r, rec, weight, why);

	r->uncounted |= taken == 1 && !is_count(r, rec);
	return taken;
}

struct mp_str mp_fold_reader_weight(const struct mp_fold_reader *r)
{
	const char *name = json_string_value(json_object_get(r->stacks, "weight"));

	if (r->choice.weight.name.p)
		return r->choice.weight.name;
	return name ? mp_str(name) : MP_STR("count");
}

const char *mp_fold_reader_unit(const struct mp_fold_reader *r)
{
	struct mp_field f = r->choice.weight;

	if (f.name.p)
		return mp_unit_of(r->origin, &f);
	if (mp_field_parse(&f, mp_fold_reader_weight(r)) < 0)
		return "";
	return mp_unit_of(r->stacks, &f);
}
