/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals by the text of their stack, which take little room since few texts differ. Totals whose
 * stack has not come wait for it. All of them are in the ledger, too. Includes cut_event, ledger,
 * symbolize, unwind_stats.
 */
#ifndef MP_CAPTURE_AGGREGATE_TOTALS_H
#define MP_CAPTURE_AGGREGATE_TOTALS_H

#include "lib/capture/aggregate/ledger.h"
#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/host/cut_event.h"
#include "lib/capture/stack/unwind_stats.h"

/* What is saved with the state of the writer. */
struct mp_agg_saved {
	/* why the walks of the user stacks ended; each occurrence counts */
	struct mp_unwind_stats unwound;
	uint64_t unknown; /* occurrences whose stack was never received */
	uint64_t number;  /* of the state, for the ledger */
};

struct mp_agg_totals {
	const struct mp_cut_events *events; /* borrowed */
	const struct mp_agg_texts *texts;   /* borrowed */
	struct mp_agg_ledger *ledger;	    /* borrowed */
	/* struct mp_agg_key -> struct mp_agg_sum, which wait for their stacks */
	struct mp_map early;
	struct mp_map lines; /* struct mp_agg_line_key -> struct mp_agg_sum */
	struct mp_agg_saved saved;
};

/* A total, and its slot in the ledger. */
struct mp_agg_sum {
	struct mp_agg_total total;
	uint32_t slot, unused;
};

void mp_agg_totals_init(struct mp_agg_totals *t, const struct mp_cut_events *events,
			const struct mp_agg_texts *texts, struct mp_agg_ledger *ledger);
void mp_agg_totals_release(struct mp_agg_totals *t);

/*
 * To be called after `saved` was saved, and when it was restored, with what the ledger has. The
 * texts must be restored before. `has_state` false: no state was saved yet.
 */
void mp_agg_totals_saved(struct mp_agg_totals *t);
void mp_agg_totals_restore(struct mp_agg_totals *t, bool has_state);

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
