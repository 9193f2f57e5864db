/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts what in-kernel aggregation sends to lines of the stream: symbolizes stacks while their
 * processes exist, adds totals to them, and writes a section for each aggregate at the end.
 * Includes cut, cut_event, symbolize, unwind_stats.
 */
#ifndef MP_CAPTURE_AGGREGATE_AGGREGATE_H
#define MP_CAPTURE_AGGREGATE_AGGREGATE_H

#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/host/cut_event.h"
#include "lib/capture/stack/unwind_stats.h"

struct mp_aggregator;

/*
 * Makes an aggregator for the aggregates of the events, which are borrowed. `memory` outlives the
 * writer: MP_AGG_LEDGER_BYTES of it.
 */
struct mp_aggregator *mp_aggregator_new(const struct mp_cut_events *events, void *memory);
void mp_aggregator_free(struct mp_aggregator *a);

/*
 * What is to be saved with the state of the writer, as often as that is saved; mp_aggregator_saved()
 * is called afterwards. `a` NULL: only the size is meant.
 */
void *mp_aggregator_state(struct mp_aggregator *a, size_t *size);
void mp_aggregator_saved(struct mp_aggregator *a);

/*
 * Continues where another writer has died, whose state was restored, unless it had saved none.
 * Appends the control lines of the modules that its texts name.
 */
void mp_aggregator_restore(struct mp_aggregator *a, bool has_state, struct mp_buf *modules);

/*
 * Handles a stack that a program has sent, in the order of the stream. Returns false if it is
 * damaged.
 */
bool mp_aggregator_stack(struct mp_aggregator *a, const struct mp_agg_stack *stack,
			 const struct mp_agg_symbols *symbols);

/* Adds totals. This is an mp_cut_totals_fn; `aggregator` is the struct mp_aggregator. */
void mp_aggregator_add(void *aggregator, const struct mp_cut_total *totals, size_t n);

/* Adds totals that waited for their stacks, if these have been received. To be called regularly. */
void mp_aggregator_settle(struct mp_aggregator *a);

/* The output of the sections of aggregates. */
struct mp_agg_output {
	const json_t *header;  /* header of the events, from which theirs is derived */
	const json_t *trailer; /* members for the trailer of each section */
	mp_agg_put_fn *put;
	void *arg;
};

/*
 * To be called after the last stack and the last total: writes a section for each aggregate, sorted
 * by stack. Adds the ends of the user stacks to `unwound`.
 */
void mp_aggregator_write(struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			 const struct mp_agg_output *output, struct mp_unwind_stats *unwound);

struct mp_aggregator_losses {
	uint64_t count;	  /* occurrences that the programs could not add */
	uint64_t unsent;  /* stacks that at first did not fit into the ring buffer */
	uint64_t unknown; /* occurrences whose stack was never received */
	/* number of stacks received, and of distinct texts made of them */
	size_t stacks, texts;
};

void mp_aggregator_losses(const struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			  struct mp_aggregator_losses *losses);

#endif
