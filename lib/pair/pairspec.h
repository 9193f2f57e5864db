/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mp-pair is asked for, as text: steps, keys, fields.
 *
 *	SPEC[,SPEC]...		SPEC = TYPE[/EXPR/]
 *	FIELD[=FIELD][,...]
 *	[NAME=][begin:|end:]FIELD[,...]
 *
 * Includes expr, rec.
 */
#ifndef MP_PAIR_PAIRSPEC_H
#define MP_PAIR_PAIRSPEC_H

#include "lib/stream/expr.h"
#include "lib/stream/rec.h"

enum { MP_PAIR_SPECS_MAX = 64, MP_PAIR_STEPS_MAX = 16, MP_PAIR_TAKES_MAX = 64 };

/* Events of a type, perhaps with a condition, are a step. */
struct mp_pair_spec {
	unsigned step;
	char *glob;
	struct mp_expr *expr; /* NULL: none */
};

/* begin.v[i] of the one event is to equal end.v[i] of the other. */
struct mp_pair_key {
	struct mp_fields begin, end;
};

/* A field of a span. */
struct mp_pair_take {
	struct mp_str name;
	struct mp_field from;
	bool end; /* from the end, else from the begin */
};

struct mp_pair_specs {
	struct mp_pair_spec specs[MP_PAIR_SPECS_MAX];
	size_t n_specs;
	struct mp_pair_key keys[MP_PAIR_STEPS_MAX];
	size_t n_keys;
	struct mp_pair_take takes[MP_PAIR_TAKES_MAX]; /* in the order of output */
	size_t n_takes;
	bool chosen; /* the takes are what a span has, else it has everything */
};

/*
 * Each adds what a text says, and returns 0, or -1 with `*error` (owned by the caller) set. Names are
 * borrowed from the text. Zeroed memory is valid and empty.
 */
int mp_pair_specs_step(struct mp_pair_specs *s, unsigned step, const char *text, char **error);
int mp_pair_specs_key(struct mp_pair_specs *s, const char *text, char **error);
int mp_pair_specs_fields(struct mp_pair_specs *s, const char *text, char **error);

void mp_pair_specs_release(struct mp_pair_specs *s);

#endif
