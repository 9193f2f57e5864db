/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first step of a recording: decides which events are recorded for which tasks. It opens no
 * event, but creates probes. Includes command, event, options, target.
 */
#ifndef MP_CAPTURE_SESSION_PLAN_H
#define MP_CAPTURE_SESSION_PLAN_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/command.h"
#include "lib/capture/host/target.h"
#include "lib/capture/session/options.h"

struct mp_bpf_calls; /* from lib/capture/bpf */

struct mp_record_plan {
	struct mp_record_options *o;
	struct mp_events events;
	struct mp_tracefs *tracefs; /* NULL: not needed so far */
	size_t collectors_failed;
	bool user_stacks, kernel_stacks; /* some events have user stacks, kernel stacks */
	bool copies;			 /* some events copy user stacks */

	struct mp_target target;
	struct mp_pids own;	    /* processes of mp-record, which are excluded */
	struct mp_pids processes;   /* for -p: the processes and their children */
	struct mp_command command;  /* for -- COMMAND: waits to be started */
	uint32_t sandbox_missing;   /* parts of the writer's sandbox, see mp_link_missing() */
	bool stdout_taken;	    /* the stream goes to stdout */
	pid_t packer;		    /* the process that compresses the output; 0: none */
	bool whole;		    /* the system or cgroups are recorded, not tasks */
	bool everyone;		    /* some events are recorded for all tasks */
	struct mp_bpf_calls *calls; /* the program for texts of system calls; NULL: none */
	uint64_t bpf_cpu_ns;	    /* CPU time for reading the kernel's types (for BPF) */
};

/*
 * Resolves the events. This and the following functions end the program if recording is impossible.
 */
void mp_record_plan_events(struct mp_record_plan *p, struct mp_record_options *o);

/* Finds the target, and prepares the command; signals must be blocked before. */
void mp_record_plan_target(struct mp_record_plan *p);

/* To be called after the events are closed, because it removes probes. */
void mp_record_plan_release(struct mp_record_plan *p);

#endif
