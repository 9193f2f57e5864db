/* SPDX-License-Identifier: GPL-2.0-only */
/* What the header of a stream of spans says of their fields. Includes span, steps, ctl. */
#ifndef MP_PAIR_PAIRHEAD_H
#define MP_PAIR_PAIRHEAD_H

#include "lib/stream/ctl.h"
#include "lib/pair/span.h"
#include "lib/pair/steps.h"

/* What mp_pairhead_spans() needs to know. */
struct mp_pairhead {
	struct mp_steps *steps;
	struct mp_spans *spans;
	struct mp_str name;	    /* of spans, len 0: by the types */
	const struct mp_str *parts; /* of the parts of a chain, where `name` is given */
	unsigned last_step;
};

/*
 * The `events` of spans, from those of the input: every begin with every end that its types make
 * possible; empty if there are more than 1,024. New reference.
 */
json_t *mp_pairhead_spans(const struct mp_pairhead *h, const json_t *events);

#endif
