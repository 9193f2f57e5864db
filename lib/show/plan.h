/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pipeline shows a recording: what the user asks for, the text files of its collectors, and
 * what is in it. Nothing of a pipeline comes from the recording. Includes pipeline, facts, config.
 */
#ifndef MP_SHOW_PLAN_H
#define MP_SHOW_PLAN_H

#include "lib/recordings/config.h"
#include "lib/show/facts.h"
#include "lib/show/pipeline.h"

struct mp_plan {
	struct mp_pipeline pipeline;
	const char *title;  /* of a part of a page: "heat map"; static */
	const char *suffix; /* of its file: ".svg"; static */
	char *why;	    /* why it was chosen */
	char *note;	    /* which better one is not available; NULL: there is none */
};

struct mp_plans {
	struct mp_plan *v;
	size_t n, cap;
};

/* The names of the forms of pictures, ending with NULL. */
extern const char *const mp_plan_forms[];

/* Chooses one pipeline; `as` is a form or NULL. */
void mp_plan_choose(struct mp_plan *plan, const struct mp_facts *f, const struct mp_config *c,
		    const char *as);

/*
 * Chooses all pipelines for one page: the first one ends with mp-page, and the results of the others
 * become parts of it. Returns false if a single picture is to be shown: the user's configuration
 * names one, or the recording has no events.
 */
bool mp_plans_page(struct mp_plans *plans, const struct mp_facts *f, const struct mp_config *c);

/* Chooses all pipelines whose results are text. */
void mp_plans_text(struct mp_plans *plans, const struct mp_facts *f);

void mp_plan_release(struct mp_plan *plan);
void mp_plans_release(struct mp_plans *plans);

#endif
