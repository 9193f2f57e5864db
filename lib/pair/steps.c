// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/steps.h"

#include "lib/stream/glob.h"

void mp_steps_init(struct mp_steps *s, const struct mp_pair_specs *specs)
{
	*s = (struct mp_steps){ .specs = specs };
	mp_map_init(&s->types, sizeof(struct mp_step_type));
}

void mp_steps_release(struct mp_steps *s)
{
	mp_map_release(&s->types);
}

struct mp_map_entry *mp_steps_type(struct mp_steps *s, struct mp_str type)
{
	struct mp_step_type *t;
	bool fresh;
	size_t i;

	if (s->last && mp_str_eq(s->last->key, type))
		return s->last;
	s->last = mp_map_put(&s->types, &type, 1, &fresh);
	if (!fresh)
		return s->last;
	t = mp_map_value(s->last);
	for (i = 0; i < s->specs->n_specs; i++) {
		const struct mp_pair_spec *spec = &s->specs->specs[i];
		struct mp_glob glob;

		mp_glob_init(&glob, mp_str(spec->glob));
		if (!mp_glob_match(&glob, s->last->key))
			continue;
		t->specs |= (uint64_t)1 << i;
		if (spec->expr)
			t->asking |= (uint64_t)1 << i;
		else
			t->sure |= 1u << spec->step;
	}
	return s->last;
}

uint32_t mp_steps_of(const struct mp_steps *s, const struct mp_step_type *t,
		     const struct mp_rec *rec)
{
	uint32_t steps = t->sure;
	uint64_t asking;

	for (asking = t->asking; asking; asking &= asking - 1) {
		const struct mp_pair_spec *spec = &s->specs->specs[__builtin_ctzll(asking)];

		if (!(steps & 1u << spec->step) && mp_expr_match(spec->expr, rec))
			steps |= 1u << spec->step;
	}
	return steps;
}

size_t mp_steps_names(struct mp_steps *s, struct mp_map_entry *type, unsigned step,
		      const struct mp_rec *rec, struct mp_map_entry **names)
{
	const struct mp_step_type *t = mp_map_value(type);
	uint64_t left;
	size_t n = 0;

	if (!s->specs->named) {
		names[0] = type;
		return 1;
	}
	for (left = t->specs; left && !(n && rec); left &= left - 1) {
		const struct mp_pair_spec *spec = &s->specs->specs[__builtin_ctzll(left)];

		if (spec->step != step || (rec && spec->expr && !mp_expr_match(spec->expr, rec)))
			continue;
		names[n++] = spec->name ? mp_steps_type(s, mp_str(spec->name)) : type;
	}
	return n;
}

uint32_t mp_steps_possible(struct mp_steps *s, const char *type)
{
	const struct mp_step_type *t = mp_map_value(mp_steps_type(s, mp_str(type)));
	uint32_t steps = t->sure;
	uint64_t asking;

	for (asking = t->asking; asking; asking &= asking - 1)
		steps |= 1u << s->specs->specs[__builtin_ctzll(asking)].step;
	return steps;
}
