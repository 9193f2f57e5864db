/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second step of a recording: everything that records is open, and no event is enabled.
 * Includes bpffilter, bpfstack, counting, grace, link, plan, queue, ring, sources, track.
 */
#ifndef MP_CAPTURE_SESSION_OPEN_H
#define MP_CAPTURE_SESSION_OPEN_H

#include "lib/capture/bpf/bpffilter.h"
#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/ring/grace.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track.h"
#include "lib/capture/session/counting.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/plan.h"
#include "lib/capture/session/sources.h"

struct mp_record_opened {
	struct mp_link *link; /* to the writer's process; set by the caller */
	struct mp_grace *grace;
	struct mp_track *track;
	struct mp_rings rings;
	struct mp_bpf_filters *filters;	  /* NULL: there are none */
	struct mp_bpf_stacks *bpf_stacks; /* NULL: there are none */
	struct cap_opened_sources sources;
	struct mp_queue *queue;
	struct mp_counting *counting; /* NULL: the kernel does not count losses by event */
	const struct mp_queue_stream *stack_stream; /* stream for the records of bpf_stacks */
	const struct mp_queue_stream *stop_stream;  /* stream for the time of the stop */
	struct mp_pids sources_of; /* tasks on which events were opened: mp_cut_plan.sources */
	struct mp_pids found;	   /* the processes of the target; empty: the whole system */
	struct mp_pids threads;	   /* of mp-record and of excluded processes: not recorded */
	bool user_excludes;	   /* the user excludes processes, not only mp-record itself */
	uint64_t bpf_cpu_ns;	   /* CPU time for loading and attaching programs */
};

/*
 * Opens everything. The time that this takes does not depend on the number of processes, except for
 * those of the target. Ends the program on failure. `k` must not be moved.
 */
void mp_record_open(struct mp_record_opened *k, struct mp_record_plan *p);
void mp_record_opened_release(struct mp_record_opened *k, const struct mp_record_plan *p);

/*
 * The priority of the threads that drain: above that of the main thread, which may run for a long
 * time.
 */
int mp_record_drain_priority(const struct mp_record_options *o);

/*
 * Whether closing the events takes so long that another process does it: the kernel waits for a
 * grace period, 40 ms, for each tracepoint that is no longer used. False if there are probes, which
 * cannot be removed before their events are closed.
 */
bool mp_record_closes_slowly(const struct mp_record_plan *p);

/* Closes the events, for a program that ends early, and for mp_record_opened_release(). */
void mp_record_close_events(struct mp_record_opened *k, const struct mp_record_plan *p);

#endif
