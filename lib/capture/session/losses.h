/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which events were lost, and when. The kernel counts how often each event happened on
 * each CPU, and how many of its samples did not fit into the ring. The drainer reads these counters
 * about once a second, and after each round in which a ring was full, and sends them through the
 * queue. So the writer, which handles them among the samples in order of time, can compare them
 * with what was delivered. Includes ctl, queue, ring, sources.
 */
#ifndef MP_CAPTURE_SESSION_LOSSES_H
#define MP_CAPTURE_SESSION_LOSSES_H

#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/session/sources.h"
#include "lib/stream/ctl.h"

/* The samples of an event on a CPU: written and excluded ones. */
struct mp_tally {
	uint64_t written, excluded;
	/* the event counts more than 1 each time, so its counter is not the number of events */
	bool weighted;
};

/* The losses that records of a ring report. */
struct mp_ring_tally {
	uint64_t lost;	       /* events in the loss lines that were written */
	uint64_t last_ns;      /* time of the latest record */
	uint64_t full_from_ns; /* events were lost since; 0: none, or their types are known */
};

/* Members are borrowed until mp_losses_free(). */
struct mp_losses_setup {
	const struct mp_rings *rings;
	const struct mp_events *events;
	const struct cap_opened_sources *sources;
	struct mp_queue *queue; /* mp_losses_new() adds a stream to it */
};

struct mp_losses;

/* NULL on Linux before 6.0, which does not count losses by event. */
struct mp_losses *mp_losses_new(const struct mp_losses_setup *setup);
void mp_losses_free(struct mp_losses *l);

/*
 * Totals of the counters of a ring's events: those of the kernel, and those of sources that count
 * themselves. `of_events` has room for all events.
 */
void mp_losses_count(const struct mp_losses_setup *setup, size_t ring, struct mp_counts *of_events);

/* Whether the counter of an event should equal the number of its samples. */
bool mp_losses_is_comparable(const struct mp_event *e, const struct mp_tally *t);

/* --- drainer --- */

enum { MP_CHECKED = 0x6d74 }; /* type of its records; host/sampled.h has the preceding number */

/*
 * Reads the counters of a ring if it is time for that, or if the ring was full and may have lost
 * events.
 */
void mp_losses_check(struct mp_losses *l, size_t ring, bool was_full);

/* --- writer --- */

/* The writer's counts, and the function that gets the losses. Borrowed. */
struct mp_losses_sink {
	const struct mp_tally *tally; /* indexed by ring and event */
	struct mp_ring_tally *rings;  /* indexed by ring */
	const uint64_t *start_ns;     /* when the recording began */
	void (*put)(void *arg, size_t ring, const struct mp_ctl *loss);
	void *arg;
};

void mp_losses_set_sink(struct mp_losses *l, const struct mp_losses_sink *sink);

/*
 * Handles a record of type MP_CHECKED: reports the losses that the kernel counted, and those of the
 * preceding check that nothing counted.
 */
void mp_losses_checked(struct mp_losses *l, const struct perf_event_header *record);

/*
 * To be called at the end, at `until_ns`, with the last counts by ring and event: reports the
 * remaining losses.
 */
void mp_losses_end(struct mp_losses *l, uint64_t until_ns, const struct mp_counts *counts);

#endif
