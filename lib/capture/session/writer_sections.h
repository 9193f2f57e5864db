/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What in-kernel aggregation hands over, from its totals to the sections of the stream. Includes
 * aggregate, cut, writer_output, writer_state.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_SECTIONS_H
#define MP_CAPTURE_SESSION_WRITER_SECTIONS_H

#include "lib/capture/aggregate/aggregate.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/session/writer_output.h"
#include "lib/capture/session/writer_state.h"

struct mp_writer_sections {
	/* set by the caller; borrowed */
	struct mp_aggregator *aggregator; /* NULL: no event is aggregated */
	struct mp_writer_output *output;
	struct mp_writer_state *state;

	struct mp_cut_aggregate_end end; /* the losses of aggregates */
};

/* Adds the totals of a record. False: the record is damaged. */
bool mp_writer_add_totals(struct mp_writer_sections *w, const struct perf_event_header *h);

/*
 * Writes the sections, whose lines before state->sections_from another writer has written. Adds the
 * ends of their user stacks to `unwound`.
 */
void mp_writer_write_sections(struct mp_writer_sections *w, const json_t *header,
			      const json_t *trailer, struct mp_unwind_stats *unwound);

#endif
