/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folds spans (events with dur) by their nesting: a span is called by the shortest one of its thread
 * that encloses it in time. Its frames are the names of the spans around it, outermost first, and
 * its own; its weight is the time in ns that it does not share with those inside it. Spans come in
 * order of their ends, so a span is known to be outermost only at the end of its section. Includes
 * fold, input.
 */
#ifndef MP_FOLD_NEST_H
#define MP_FOLD_NEST_H

#include "lib/fold/fold.h"
#include "lib/stream/input.h"

enum {
	MP_NEST_HELD = 1 << 20,	  /* spans that are held, at most; each takes 56 bytes */
	MP_NEST_DEPTH = 256,	  /* frames of a span; those inside it belong to the last one */
	MP_NEST_BYTES = 64 << 10, /* of all frames of a span */
};

struct mp_nest {
	struct mp_fold *fold; /* borrowed */
	struct mp_field name; /* the field that names a span */

	/* for the caller to read */
	uint64_t overlaps; /* spans that overlap an earlier one without enclosing it */
	uint64_t overlap_ns;
	uint64_t torn; /* spans that may enclose others that could no longer be held */
	uint64_t deep; /* spans that were too deep, and belong to the span around them */

	/* private */
	struct mp_map threads; /* host, tid, cpu of idle tasks -> struct thread */
	struct mp_map texts;   /* names and values of the spans that are held */
	size_t held;
	struct mp_buf scratch, path;
};

void mp_nest_init(struct mp_nest *n, struct mp_fold *fold, const struct mp_field *name);
void mp_nest_release(struct mp_nest *n);

/* Adds a span that lasts `dur_ns`. Returns 0, or -1 with `*why`. */
int mp_nest_add(struct mp_nest *n, const struct mp_rec *rec, uint64_t dur_ns, const char **why);

/* Ends the section: adds all spans that are held to the fold. */
void mp_nest_end(struct mp_nest *n);

/* Reports what does not nest, and what could not be held. Returns the status for main. */
enum mp_status mp_nest_report(const struct mp_nest *n);

#endif
