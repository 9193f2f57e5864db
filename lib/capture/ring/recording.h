/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a source of events learns about the recording when it opens (event/source.h). Includes
 * event, queue, ring, target.
 */
#ifndef MP_CAPTURE_RING_RECORDING_H
#define MP_CAPTURE_RING_RECORDING_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/target.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/ring.h"

struct mp_bpf_stacks; /* lib/capture/bpf */

/* All is borrowed until the sources are closed. */
struct cap_recording {
	const struct mp_events *events;
	const struct mp_rings *rings;	 /* the events are open, and not enabled yet */
	struct mp_queue *queue;		 /* a source may add streams */
	const struct mp_target *target;	 /* CPUs, cgroups, and tasks on which events are open */
	const struct mp_pids *processes; /* these, and what they start; empty: others */
	const struct mp_pids *tids;	 /* these threads; empty: others */
	const struct mp_pids *exclude;	 /* processes that are not recorded */
	pid_t command;			 /* the process that waits to become the command; 0: none */
	const char *command_name;	 /* only with `command` */
	bool whole;			 /* neither processes nor threads: the system, or cgroups */
	bool all_cpus;			 /* not only some of them */
	struct mp_bpf_stacks *bpf_stacks; /* NULL: none */
	struct mp_pids *
		threads; /* threads of mp-record, which tracepoints exclude: a source adds those that it starts */
};

#endif
