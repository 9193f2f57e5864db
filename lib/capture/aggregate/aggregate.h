/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What in-kernel aggregation sends, to lines of the stream: stacks are symbolized while their
 * processes exist, totals are added to them, and the end writes a section for each aggregate.
 * Includes cut, event, symbolize, unwind_stats.
 */
#ifndef MP_CAPTURE_AGGREGATE_AGGREGATE_H
#define MP_CAPTURE_AGGREGATE_AGGREGATE_H

#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/event/event.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/stack/unwind_stats.h"

struct mp_aggregator;

/* For the aggregated events, which are borrowed. */
struct mp_aggregator *mp_aggregator_new(const struct mp_events *events);
void mp_aggregator_free(struct mp_aggregator *a);

/* A stack that a program has sent, in the order of the stream. False if it is damaged. */
bool mp_aggregator_stack(struct mp_aggregator *a, const struct mp_agg_stack *stack,
			 const struct mp_agg_symbols *symbols);

/* Adds totals: a mp_cut_totals_fn, `aggregator` being the struct mp_aggregator. */
void mp_aggregator_add(void *aggregator, const struct mp_cut_total *totals, size_t n);

/* Now and then: looks again for the stacks of totals that came before them. */
void mp_aggregator_settle(struct mp_aggregator *a);

/* Where the sections of aggregates go. */
struct mp_agg_output {
	const json_t *header;  /* theirs is like it */
	const json_t *trailer; /* keys that each trailer has as well */
	mp_agg_put_fn *put;
	void *arg;
};

/*
 * After the last stack and the last total: writes a section for each aggregate, sorted by stack.
 * Adds to `unwound` how the user stacks ended.
 */
void mp_aggregator_write(struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			 const struct mp_agg_output *output, struct mp_unwind_stats *unwound);

struct mp_aggregator_losses {
	uint64_t count;	      /* occurrences that could not be added */
	uint64_t unsent;      /* stacks that did not fit into the ring buffer at first */
	uint64_t unknown;     /* occurrences whose stack did not come */
	size_t stacks, texts; /* stacks that came; how many of them differ once symbolized */
};

void mp_aggregator_losses(const struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			  struct mp_aggregator_losses *losses);

#endif
