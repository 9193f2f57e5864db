/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two recordings beside each other: what differs between them, and the pipelines whose results show
 * it. Includes facts, plan.
 */
#ifndef MP_SHOW_CONTRAST_H
#define MP_SHOW_CONTRAST_H

#include "lib/show/plan.h"

/* A recording that is compared. */
struct mp_contrast_side {
	const char *name; /* of its file */
	const struct mp_facts *facts;
};

/*
 * Makes the facts by which pipelines are chosen for both sides, before and after: what both have
 * together, and the collectors that both have. Recordings that cannot be compared end the program.
 */
void mp_contrast_facts(struct mp_facts *both, const struct mp_contrast_side *sides);

/* Adds lines for a terminal: what is in both, and a `*` before what differs. */
void mp_contrast_print(struct mp_buf *to, const struct mp_contrast_side *sides);

/* A part of the page. */
struct mp_contrast {
	struct mp_pipeline base; /* runs for each side; without stages: the recordings */
	struct mp_pipeline
		compare;    /* gets both results as operands; without stages: they are shown */
	bool same_base;	    /* that of the part before it */
	const char *title;  /* static */
	const char *suffix; /* of its file; static */
};

struct mp_contrasts {
	struct mp_contrast *v;
	size_t n, cap;
};

/* Makes the parts from the pipelines for one recording; none whose program is missing. */
void mp_contrasts_make(struct mp_contrasts *c, const struct mp_plans *plans,
		       const struct mp_contrast_side *sides);
void mp_contrasts_release(struct mp_contrasts *c);

#endif
