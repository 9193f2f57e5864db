/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the steps of a pairing that an event matches, by its type (looked up once for each) and by
 * conditions. Includes pairspec, split.
 */
#ifndef MP_PAIR_STEPS_H
#define MP_PAIR_STEPS_H

#include "lib/pair/pairspec.h"
#include "lib/pair/split.h"

/* A type of event: the value of its entry in `types`. */
struct mp_step_type {
	/* a bit for each step that all events of this type match, since it has no condition */
	uint32_t sure;
	/* a bit for each specification of this type whose condition decides */
	uint64_t asking;
	uint64_t specs;		     /* a bit for each specification of this type */
	const struct mp_shape *hint; /* shape of the latest event of the type, see mp_split() */
};

struct mp_steps {
	const struct mp_pair_specs *specs; /* borrowed */
	struct mp_map types;
	struct mp_map_entry *last;
};

void mp_steps_init(struct mp_steps *s, const struct mp_pair_specs *specs);
void mp_steps_release(struct mp_steps *s);

/* The entry of a type; its address does not change. */
struct mp_map_entry *mp_steps_type(struct mp_steps *s, struct mp_str type);

/* The steps that this event matches, a bit each. */
uint32_t mp_steps_of(const struct mp_steps *s, const struct mp_step_type *t,
		     const struct mp_rec *rec);

/*
 * The types that such events have in the names of spans when they match a step: that of an event,
 * the first one, or with `rec` NULL all that are possible. `names` has room for MP_PAIR_SPECS_MAX;
 * returns their number.
 */
size_t mp_steps_names(struct mp_steps *s, struct mp_map_entry *type, unsigned step,
		      const struct mp_rec *rec, struct mp_map_entry **names);

/* The steps that events of this type can match, a bit each. */
uint32_t mp_steps_possible(struct mp_steps *s, const char *type);

#endif
