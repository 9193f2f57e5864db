/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a recording. Includes event, pack, proc, taskname. */
#ifndef MP_CAPTURE_SESSION_OPTIONS_H
#define MP_CAPTURE_SESSION_OPTIONS_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/proc.h"
#include "lib/core/pack.h"
#include "lib/stream/taskname.h"

struct mp_record_options {
	struct mp_specs specs; /* if empty, and without collectors: the default event */
	char **collectors;     /* names, ending with NULL; NULL: none */
	struct mp_event_options events;

	bool system_wide; /* record the whole system although there is a command */
	const char *cpus; /* a list such as "0,2-4"; NULL: all CPUs */
	struct mp_pids pids, tids;
	const char **cgroups; /* globs of paths */
	size_t n_cgroups, cap_cgroups;
	char **command;		/* arguments, ending with NULL; NULL: no command */
	struct mp_pids exclude; /* processes, in addition to mp-record */
	bool exclude_pipeline;

	struct mp_tasknames *names; /* table with names of tasks; NULL: none */
	uint64_t interval_ns;	    /* interval of counters and polled values; 0: not given */
	uint64_t duration_ns;	    /* 0: record until stopped */
	uint64_t max_events;	    /* 0: no limit */
	size_t ring_bytes;	    /* per CPU, a power of two; 0: depends on the events */
	int realtime;		    /* SCHED_FIFO priority of the draining threads, 0: none */
	const char *output;	    /* NULL: stdout */
	enum mp_pack_method pack;   /* how to compress it */
	/* another file begins when one has so many bytes, or is so long; both 0: there is one file */
	uint64_t rotate_bytes, rotate_ns;
	size_t max_files;     /* how many are kept; 0: all */
	bool require_sandbox; /* refuse to record if a part of the sandbox is missing */
	bool java_map;	      /* ask Java virtual machines for the names of their code */
	bool quiet, verbose;
	char **argv; /* of mp-record, for the header */
};

static inline bool mp_record_rotates(const struct mp_record_options *o)
{
	return o->rotate_bytes || o->rotate_ns;
}

#endif
