/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the counters by which losses are found (losses.h): the kernel counts how often each event
 * happened on each CPU, and how many of its samples did not fit into the ring. The drainer reads
 * these counters about once a second, and after each round in which a ring was full, and sends them
 * through the queue. Includes cut, queue, ring, sources.
 */
#ifndef MP_CAPTURE_SESSION_COUNTING_H
#define MP_CAPTURE_SESSION_COUNTING_H

#include "lib/capture/host/cut.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/session/sources.h"

/* Members are borrowed until mp_counting_free(). */
struct mp_counting_setup {
	const struct mp_rings *rings;
	const struct mp_events *events;
	const struct cap_opened_sources *sources;
	struct mp_queue *queue; /* mp_counting_new() adds a stream to it */
};

struct mp_counting;

/* NULL on Linux before 6.0, which does not count losses by event. */
struct mp_counting *mp_counting_new(const struct mp_counting_setup *setup);
void mp_counting_free(struct mp_counting *c);

/*
 * Reads the counters of a ring if it is time for that, or if the ring was full and may have lost
 * events.
 */
void mp_counting_check(struct mp_counting *c, size_t ring, bool was_full);

/*
 * Totals of the counters, by ring and event: those of the kernel, and those of sources that count
 * by themselves. For the end of a recording. The caller frees them.
 */
struct mp_counts *mp_counting_all(const struct mp_counting_setup *setup);

#endif
