/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of spans in the header of their stream. Includes span, steps, ctl. */
#ifndef MP_PAIR_PAIRHEAD_H
#define MP_PAIR_PAIRHEAD_H

#include "lib/pair/span.h"
#include "lib/pair/steps.h"
#include "lib/stream/ctl.h"

/* The arguments of mp_pairhead_spans(). */
struct mp_pairhead {
	struct mp_steps *steps;
	struct mp_spans *spans;
	/* name of the spans; if its len is 0, the names are made from the types */
	struct mp_str name;
	const struct mp_str *parts; /* names of the parts of a chain, used if `name` is given */
	unsigned last_step;
};

/*
 * Makes the `events` of spans from those of the input: every possible begin with every possible
 * end. They are empty if there are more than 1,024. New reference.
 */
json_t *mp_pairhead_spans(const struct mp_pairhead *h, const json_t *events);

#endif
