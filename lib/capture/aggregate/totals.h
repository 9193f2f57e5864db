/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of sums, as the kernel's tables are emptied: by words as soon as the words are known, since of
 * those there are few. Includes sumevent, sumtext, unwound.
 */
#ifndef MP_CAPTURE_AGGREGATE_TOTALS_H
#define MP_CAPTURE_AGGREGATE_TOTALS_H

#include "lib/capture/event/aggregate.h"
#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/stack/unwind_stats.h"

struct mp_agg_totals {
	const struct mp_event_aggs *aggs; /* borrowed */
	const struct mp_agg_texts *texts; /* borrowed */
	struct mp_map
		early; /* struct mp_agg_key -> struct mp_agg_total: their stacks have not come */
	struct mp_map lines;		/* struct mp_agg_line_key -> struct mp_agg_total */
	struct mp_unwind_stats unwound; /* how the user stacks of occurrences ended */
	uint64_t unknown;		/* occurrences whose stack did not come */
};

void mp_agg_totals_init(struct mp_agg_totals *t, const struct mp_event_aggs *aggs,
			const struct mp_agg_texts *texts);
void mp_agg_totals_release(struct mp_agg_totals *t);

void mp_agg_totals_add(struct mp_agg_totals *t, const struct mp_agg_key *key,
		       const struct mp_agg_total *more);

/* Looks again for the stacks of what came before them; `at_last`: what has none is "[unknown]". */
void mp_agg_totals_settle(struct mp_agg_totals *t, bool at_last);

/* The lines of a sum. */
void mp_agg_totals_lines(const struct mp_agg_totals *t, size_t sum, struct mp_agg_lines *lines);

#endif
