/* SPDX-License-Identifier: GPL-2.0-only */
/* What the writer counts: the account of events, and what may be wrong. Includes losses. */
#ifndef MP_CAPTURE_SESSION_WRITER_COUNTS_H
#define MP_CAPTURE_SESSION_WRITER_COUNTS_H

#include "lib/capture/session/losses.h"

/* Of all events. Without pointers. */
struct mp_writer_totals {
	uint64_t written, excluded, lost;
	uint64_t late;	     /* events that came after the watermark had passed their time */
	uint64_t track_lost; /* lost records of tasks, so that names may be wrong */
	uint64_t throttled;
};

struct mp_writer_counts {
	struct mp_writer_totals all;
	struct mp_tally *tally;	     /* indexed by ring and event: mp_writer_tally() */
	struct mp_ring_tally *rings; /* indexed by ring */
	size_t n_events;
};

static inline struct mp_tally *mp_writer_tally(const struct mp_writer_counts *c, size_t ring,
					       size_t event)
{
	return &c->tally[ring * c->n_events + event];
}

#endif
