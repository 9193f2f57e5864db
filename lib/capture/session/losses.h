/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which events were lost, and when: the writer compares the counters, which come among
 * the samples in order of time (counting.h), with what was delivered. Includes ctl, cut_plan.
 */
#ifndef MP_CAPTURE_SESSION_LOSSES_H
#define MP_CAPTURE_SESSION_LOSSES_H

#include "lib/capture/host/cut_plan.h"
#include "lib/stream/ctl.h"

/* How many samples of an event on a CPU were written, and how many were excluded. */
struct mp_tally {
	uint64_t written, excluded;
	/* the event counts more than 1 each time, so its counter is not the number of events */
	bool weighted;
};

/* The losses that records of a ring report. */
struct mp_ring_tally {
	uint64_t lost;	       /* events in the loss lines that were written */
	uint64_t last_ns;      /* time of the latest record */
	uint64_t full_from_ns; /* events were lost from then on; 0: none, or types known */
};

/* The writer's counts, and the function that gets the losses. Borrowed. */
struct mp_losses_setup {
	const struct mp_cut_plan *plan;
	const struct mp_tally *tally; /* indexed by ring and event */
	struct mp_ring_tally *rings;  /* indexed by ring */
	const uint64_t *start_ns;     /* when the recording began */
	void (*put)(void *arg, size_t ring, const struct mp_ctl *loss);
	void *arg;
};

struct mp_losses;

/* NULL on Linux before 6.0, which does not count losses by event. */
struct mp_losses *mp_losses_new(const struct mp_losses_setup *setup);
void mp_losses_free(struct mp_losses *l);

/*
 * What is known of the losses so far: memory without pointers, to be saved and restored as a whole,
 * and its size, which depends on the plan only. 0 and NULL on Linux before 6.0.
 */
size_t mp_losses_state_bytes(const struct mp_cut_plan *plan);
void *mp_losses_state(struct mp_losses *l);

/* Whether the counter of an event should equal the number of its samples. */
bool mp_losses_is_comparable(const struct mp_cut_event *e, const struct mp_tally *t);

/*
 * Handles a record of type MP_CUT_CHECK: reports the losses that the kernel counted, and the
 * uncounted ones up to the preceding check. False: the record is damaged.
 */
bool mp_losses_checked(struct mp_losses *l, const struct perf_event_header *record,
		       uint64_t time_ns);

/*
 * To be called at the end, at `until_ns`, with the last counts by ring and event: reports the
 * remaining losses.
 */
void mp_losses_end(struct mp_losses *l, uint64_t until_ns, const struct mp_counts *counts);

#endif
