/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that empties the rings into the queue and never waits for output.
 * Includes bpfstack, control, counting, grace, queue, ring, sources, track.
 */
#ifndef MP_CAPTURE_SESSION_DRAIN_H
#define MP_CAPTURE_SESSION_DRAIN_H

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/ring/grace.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track.h"
#include "lib/capture/session/control.h"
#include "lib/capture/session/counting.h"
#include "lib/capture/session/sources.h"

/* Members are borrowed until mp_drain_free(). */
struct mp_drain_setup {
	struct mp_rings *rings;
	const struct mp_events *events;
	struct mp_track *track;
	struct mp_bpf_stacks *bpf_stacks;     /* NULL: there are none */
	const struct mp_queue_stream *stacks; /* the stream for their records */
	struct mp_grace *grace;
	const struct cap_opened_sources *sources;
	struct mp_queue *queue;
	struct mp_counting *counting;	    /* NULL: the kernel does not count losses by event */
	const struct mp_queue_stream *stop; /* the stream for the time of the stop */
	const struct mp_control *control;
	int realtime; /* SCHED_FIFO priority of the thread, 0: none */
};

struct mp_drain;

/* Starts the thread; it does nothing before mp_drain_go(). `*tid` gets its thread id. */
struct mp_drain *mp_drain_start(const struct mp_drain_setup *setup, int *tid);

/*
 * Begins to drain. When all events are disabled, the thread pushes the contents of the rings, then
 * the last mark, and ends.
 */
void mp_drain_go(struct mp_drain *d);

/* The time up to which everything has been pushed, by the latest mark. Any thread may call this. */
uint64_t mp_drain_settled(const struct mp_drain *d);

/* Waits for the end of the thread, and frees everything. */
void mp_drain_free(struct mp_drain *d);

#endif
