/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two weights of the same events, between which the reader of a page chooses. Includes reader,
 * unit.
 */
#ifndef MP_FLAME_WEIGHTS_H
#define MP_FLAME_WEIGHTS_H

#include "lib/fold/reader.h"

enum { MP_FLAME_WEIGHTS = 2 };

struct mp_flame_weights {
	size_t n; /* how many fields --weight named */
	/* the second one; name.p == NULL: each event counts once */
	struct mp_field second;
	struct mp_fold fold; /* of the second weight, as that of the reader is of the first */

	/* private */
	char *lists[MP_FLAME_WEIGHTS]; /* arguments, of which the names of fields are parts */
};

/* Handles the argument of --weight: one field, or two with a comma. Misuse ends the program. */
void mp_flame_weights_option(struct mp_flame_weights *w, struct mp_fold_reader *r,
			     const struct mp_program *program, const char *arg);

/* After the options and mp_fold_reader_begin(). */
void mp_flame_weights_begin(struct mp_flame_weights *w, const struct mp_fold_reader *r);
void mp_flame_weights_release(struct mp_flame_weights *w);

/*
 * Adds an event with those of its two weights that it has. `taken`, `weight` and `*why` are what
 * mp_fold_reader_take() returned for the first. Returns 0, or -1 with `*why` if it lacks one.
 */
int mp_flame_weights_add(struct mp_flame_weights *w, struct mp_fold_reader *r,
			 const struct mp_rec *rec, int taken, int64_t weight, const char **why);

/* The name and the unit of a weight, 0 or 1. */
struct mp_str mp_flame_weights_name(const struct mp_flame_weights *w,
				    const struct mp_fold_reader *r, size_t i);
const char *mp_flame_weights_unit(const struct mp_flame_weights *w, const struct mp_fold_reader *r,
				  size_t i);

#endif
