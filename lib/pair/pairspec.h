/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the arguments of mp-pair: steps, keys, fields.
 *
 *	SPEC[,SPEC]...		SPEC = [NAME=]TYPE[/EXPR/]
 *	FIELD[=FIELD][,...], perhaps computed
 *	[NAME=][begin:|end:]FIELD[,...]
 *
 * Includes expr, field_check, rec.
 */
#ifndef MP_PAIR_PAIRSPEC_H
#define MP_PAIR_PAIRSPEC_H

#include "lib/stream/expr.h"
#include "lib/stream/field_check.h"
#include "lib/stream/rec.h"

enum {
	MP_PAIR_SPECS_MAX = 64,
	MP_PAIR_STEPS_MAX = 16,
	MP_PAIR_TAKES_MAX = 64,
	MP_PAIR_NAME_MAX = 100
};

/* A step: events of one type, perhaps with a condition. */
struct mp_pair_spec {
	unsigned step;
	char *glob;
	struct mp_expr *expr; /* the condition; NULL: none */
	char *name; /* the type that these events have in names of spans; NULL: their own */
};

/* The value of begin.v[i] in one event must equal that of end.v[i] in the other. */
struct mp_pair_key {
	struct mp_fields begin, end;
};

/* A field of a span. */
struct mp_pair_take {
	struct mp_str name;
	struct mp_field from;
	bool end; /* its value comes from the end event, else from the begin event */
};

struct mp_pair_specs {
	struct mp_pair_spec specs[MP_PAIR_SPECS_MAX];
	size_t n_specs;
	bool named; /* some of them have a name */
	struct mp_pair_key keys[MP_PAIR_STEPS_MAX];
	size_t n_keys;
	/* the keys are the caller's default, not the user's */
	bool default_key;
	/* the fields of a span, in the order of output */
	struct mp_pair_take takes[MP_PAIR_TAKES_MAX];
	size_t n_takes;
	bool chosen; /* spans have only the fields in `takes`, else all fields of both events */
};

/*
 * These functions parse a text and add the result. They return 0, or -1 with `*error` (owned by the
 * caller) set. Names are borrowed from the text. Zeroed memory is valid and empty.
 */
int mp_pair_specs_step(struct mp_pair_specs *s, unsigned step, const char *text, char **error);
int mp_pair_specs_key(struct mp_pair_specs *s, const char *text, char **error);
int mp_pair_specs_fields(struct mp_pair_specs *s, const char *text, char **error);

/* Adds the fields that the user named, with bits of steps as roles. */
void mp_pair_specs_names(const struct mp_pair_specs *s, unsigned n_steps,
			 struct mp_field_check *names);

void mp_pair_specs_release(struct mp_pair_specs *s);

#endif
