/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first step of a recording: which events are recorded, of which tasks. Nothing is opened yet,
 * but probes are made. Includes command, event, options, target.
 */
#ifndef MP_CAPTURE_SESSION_PLAN_H
#define MP_CAPTURE_SESSION_PLAN_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/command.h"
#include "lib/capture/host/target.h"
#include "lib/capture/session/options.h"

struct mp_record_plan {
	struct mp_record_options *o;
	struct mp_events events;
	struct mp_tracefs *tracefs; /* NULL: not needed */
	size_t collectors_failed;
	bool user_stacks, kernel_stacks; /* some events have them */
	bool copies;			 /* some events copy user stacks */

	struct mp_target target;
	struct mp_pids processes;  /* with -p: the processes and their children */
	struct mp_command command; /* with -- COMMAND: waits to be started */
	bool stdout_taken;	   /* by the stream */
	bool whole;		   /* the system or cgroups, not tasks */
	bool everyone;		   /* some events are of all tasks */
};

/*
 * Resolves the events. Ends the program if they cannot be recorded, as the following functions do.
 */
void mp_record_plan_events(struct mp_record_plan *p, struct mp_record_options *o);

/* Finds the target, and prepares the command: signals must be blocked by now. */
void mp_record_plan_target(struct mp_record_plan *p);

/* To be called after the events were closed, because it removes probes. */
void mp_record_plan_release(struct mp_record_plan *p);

#endif
