/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals by the text of their stack, which take little room since few texts differ. Totals whose
 * stack has not come wait for it. Includes cut_event, symbolize, unwind_stats.
 */
#ifndef MP_CAPTURE_AGGREGATE_TOTALS_H
#define MP_CAPTURE_AGGREGATE_TOTALS_H

#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/host/cut_event.h"
#include "lib/capture/stack/unwind_stats.h"

struct mp_agg_totals {
	const struct mp_cut_events *events; /* borrowed */
	const struct mp_agg_texts *texts;   /* borrowed */
	/* struct mp_agg_key -> struct mp_agg_total, which wait for their stacks */
	struct mp_map early;
	struct mp_map lines; /* struct mp_agg_line_key -> struct mp_agg_total */
	/* why the walks of the user stacks ended; each occurrence counts */
	struct mp_unwind_stats unwound;
	uint64_t unknown; /* occurrences whose stack was never received */
};

void mp_agg_totals_init(struct mp_agg_totals *t, const struct mp_cut_events *events,
			const struct mp_agg_texts *texts);
void mp_agg_totals_release(struct mp_agg_totals *t);

void mp_agg_totals_add(struct mp_agg_totals *t, const struct mp_agg_key *key,
		       const struct mp_agg_total *more);

/*
 * Adds waiting totals whose stacks have been received. With `at_last` it adds all of them, those
 * without a stack as "[unknown]".
 */
void mp_agg_totals_settle(struct mp_agg_totals *t, bool at_last);

/* Adds the lines of an aggregate. */
void mp_agg_totals_lines(const struct mp_agg_totals *t, size_t aggregate,
			 struct mp_agg_lines *lines);

#endif
