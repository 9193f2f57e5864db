/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a recording. Includes event, proc, taskname. */
#ifndef MP_CAPTURE_SESSION_OPTIONS_H
#define MP_CAPTURE_SESSION_OPTIONS_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/proc.h"
#include "lib/stream/taskname.h"

struct mp_record_options {
	struct mp_specs specs; /* empty, and no collectors: the default event */
	char **collectors;     /* names, then a NULL; NULL: none */
	struct mp_event_options events;

	bool system_wide; /* although there is a command */
	const char *cpus; /* list; NULL: all */
	struct mp_pids pids, tids;
	const char **cgroups; /* globs */
	size_t n_cgroups, cap_cgroups;
	char **command;		/* NULL: none */
	struct mp_pids exclude; /* processes; ourselves besides */
	bool exclude_pipeline;

	struct mp_tasknames *names; /* names of tasks by a table; NULL: none */
	uint64_t interval_ns;	    /* of counters and polled values; 0: not given */
	uint64_t duration_ns;	    /* 0: until it is stopped */
	uint64_t max_events;	    /* 0: no limit */
	size_t ring_bytes;	    /* per CPU, a power of two; 0: by what is recorded */
	int realtime;		    /* SCHED_FIFO priority of the draining, 0: none */
	const char *output;	    /* NULL: stdout */
	bool quiet, verbose;
	char **argv; /* for the header */
};

#endif
