/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of sums, as the kernel's tables are emptied: by words as soon as the words are known, since of
 * those there are few. Includes sumevent, sumtext, unwound.
 */
#ifndef MP_CAPTURE_SUMTOTALS_H
#define MP_CAPTURE_SUMTOTALS_H

#include "lib/capture/event/aggregate.h"
#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/stack/unwind_stats.h"

struct mp_sumtotals {
	const struct mp_event_sum *const *sums; /* by number; borrowed */
	const struct mp_sumtexts *texts;	/* borrowed */
	struct mp_map
		early; /* struct mp_sum_key -> struct mp_sum_total: their stacks have not come */
	struct mp_map lines;		/* struct mp_sumline_key -> struct mp_sum_total */
	struct mp_unwind_stats unwound; /* how the user stacks of occurrences ended */
	uint64_t unknown;		/* occurrences whose stack did not come */
};

void mp_sumtotals_init(struct mp_sumtotals *t, const struct mp_event_sum *const *sums,
		       const struct mp_sumtexts *texts);
void mp_sumtotals_release(struct mp_sumtotals *t);

void mp_sumtotals_add(struct mp_sumtotals *t, const struct mp_sum_key *key,
		      const struct mp_sum_total *more);

/* Looks again for the stacks of what came before them; `at_last`: what has none is "[unknown]". */
void mp_sumtotals_settle(struct mp_sumtotals *t, bool at_last);

/* The lines of a sum. */
void mp_sumtotals_lines(const struct mp_sumtotals *t, size_t sum, struct mp_sumlines *lines);

#endif
