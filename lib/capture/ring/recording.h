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

struct mp_bpf_stacks; /* from lib/capture/bpf */
struct mp_bpf_calls;

/* All members are borrowed until the sources are closed. */
struct cap_recording {
	const struct mp_events *events;
	const struct mp_rings *rings;	/* their events are open, but not enabled yet */
	struct mp_queue *queue;		/* the queue, to which a source may add streams */
	const struct mp_target *target; /* CPUs, cgroups, and the tasks on which events are open */
	/* recorded processes, with their children; may be empty */
	const struct mp_pids *processes;
	const struct mp_pids *tids;    /* recorded threads; may be empty */
	const struct mp_pids *exclude; /* processes that are not recorded */
	bool user_excludes; /* the user excludes some of these; if not, they are mp-record itself */
	pid_t command;	    /* the process that waits to become the command; 0: none */
	const char *command_name; /* set only with `command` */
	/* neither processes nor threads are recorded, but the system or cgroups */
	bool whole;
	bool all_cpus; /* all CPUs are recorded */
	/* the BPF program that walks stacks; NULL: there is none */
	struct mp_bpf_stacks *bpf_stacks;
	/* the BPF program that reads the texts of system calls; NULL: there is none */
	struct mp_bpf_calls *calls;
	/* threads of mp-record, which tracepoints exclude; a source adds its own threads */
	struct mp_pids *threads;
};

#endif
