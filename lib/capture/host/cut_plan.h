/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the writer gets from the collector when everything is open: it needs no more to turn
 * records into lines. Includes cut, cut_event, proc, str.
 */
#ifndef MP_CAPTURE_HOST_CUT_PLAN_H
#define MP_CAPTURE_HOST_CUT_PLAN_H

#include "lib/capture/host/cut.h"
#include "lib/capture/host/cut_event.h"
#include "lib/capture/host/proc.h"
#include "lib/core/str.h"

/* An open event. */
struct mp_cut_counter {
	uint64_t id;	/* PERF_SAMPLE_IDENTIFIER of its samples */
	uint32_t event; /* index in mp_cut_plan.events */
	int32_t tid;	/* the task on which it was opened; -1: none */
};

struct mp_cut_plan {
	struct mp_cut_events events;
	int32_t *cpus; /* the CPU of each ring */
	size_t n_rings;
	struct mp_cut_counter *counters;
	size_t n_counters;

	struct mp_pids exclude; /* processes whose samples are not written, including `own` */
	struct mp_pids own;	/* processes of mp-record */
	uint32_t uid;		/* the user who runs mp-record */
	/* tasks with open events that they may also have inherited: mp_tasks.sources */
	struct mp_pids sources;
	struct mp_pids found; /* processes of the target; empty: the whole system */

	char *kernel_id;		  /* build id of the kernel; NULL: unknown, or not needed */
	uint64_t max_events;		  /* 0: no limit */
	uint64_t rotate_bytes, rotate_ns; /* another file begins then; 0: there is no such limit */
	bool everyone;			  /* every process is recorded */
	bool inner; /* mp-record is in an inner pid namespace, where tasks outside have the id 0 */
	bool user_stacks;
	bool walks;  /* BPF programs walk user stacks, with tables that the writer makes */
	bool counts; /* the kernel counts losses by event (Linux 6.0) */
	bool with_command;
	bool quiet, verbose;
	bool watched; /* standard error is a terminal */
};

void mp_cut_plan_release(struct mp_cut_plan *plan);

/*
 * Append a plan to `to` as bytes, and make a plan from such bytes. The latter returns 0, or -1 with
 * an empty plan if the bytes are damaged or contradict each other.
 */
void mp_cut_plan_put(const struct mp_cut_plan *plan, struct mp_buf *to);
int mp_cut_plan_get(struct mp_cut_plan *plan, struct mp_str from);

/* What the collector knows at the end, after the last record. */
struct mp_cut_end {
	struct mp_counts *counts; /* by ring and event */
	size_t n_counts;
	char *common;	  /* JSON: members of each trailer */
	char *trailer;	  /* JSON: members of the trailer of the events */
	uint64_t dropped; /* records of tasks that did not fit into the queue */
};

void mp_cut_end_release(struct mp_cut_end *end);

/* As mp_cut_plan_put() and mp_cut_plan_get(). The reader passes how many counts there must be. */
void mp_cut_end_put(const struct mp_cut_end *end, struct mp_buf *to);
int mp_cut_end_get(struct mp_cut_end *end, size_t n_counts, struct mp_str from);

#endif
