/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans with their context as text for people: what lasted how long, the events around it with the
 * time from each to the next, how long each task ran meanwhile. Includes context, io.
 */
#ifndef MP_PAIR_PAIRTEXT_H
#define MP_PAIR_PAIRTEXT_H

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/pair/context.h"

struct mp_pairtext {
	struct mp_out *out; /* borrowed */
	bool stacks;	    /* stacks are written below their events */
	size_t lines;	    /* the most events that are written of a span; 0: all */
	/* events closer than this to both the one before and the one after are not written */
	uint64_t hide_ns;
	struct mp_map cpus; /* cpu -> since when its current task has run */
	struct mp_map runs; /* cpu, comm, tid -> struct run */
	uint64_t last_ns;   /* time of the previous line */
	bool *shown;	    /* which of a span's events are not hidden */
	size_t cap_shown;
	struct mp_buf b;
};

void mp_pairtext_init(struct mp_pairtext *t, struct mp_out *out, bool stacks, size_t lines,
		      uint64_t hide_ns);
void mp_pairtext_release(struct mp_pairtext *t);

/* A mp_context_write; `arg` is a struct mp_pairtext. */
void mp_pairtext_write(void *arg, struct mp_context *c, const struct mp_context_span *s);

#endif
