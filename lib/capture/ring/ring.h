/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of the user, opened: a file descriptor for each event, CPU and task or cgroup, and one
 * ring buffer per CPU that all of them write to. They are opened by perf_event_open(2), since
 * libperf has neither cgroups nor filters, and truncates large records (docs/decisions.md).
 * Includes cut, event, intmap, queue, target.
 */
#ifndef MP_CAPTURE_RING_RING_H
#define MP_CAPTURE_RING_RING_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/host/target.h"
#include "lib/capture/ring/queue.h"
#include "lib/core/intmap.h"

struct mp_ring {
	int cpu;
	int fd;				      /* fd of the event that owns the ring, for poll(2) */
	void *base;			      /* struct perf_event_mmap_page, then the data */
	size_t size;			      /* bytes of the data, a power of two */
	const struct mp_queue_stream *stream; /* the stream of its records */
};

/* One open event. */
struct mp_counter {
	int fd;
	uint32_t event; /* index in struct mp_events */
	uint32_t ring;
	uint64_t id; /* PERF_SAMPLE_IDENTIFIER of its samples */
	/* the task on which it was opened, or a file descriptor of a cgroup; -1: neither */
	pid_t tid;
	bool member; /* the event is in a group: it starts and stops with its leader */
};

struct mp_rings {
	struct mp_ring *v;
	size_t n;
	struct mp_counter *counters;
	size_t n_counters, cap_counters;
	struct mp_intmap by_id; /* id -> index of a counter + 1 */
	bool has_lost;		/* the kernel counts losses per event (Linux 6.0) */
	size_t wanted_size;	/* the requested size; v[].size may be less without privileges */
	int *contexts;		/* what keeps the contexts of tasks, see perf_context.h */
	size_t n_contexts, cap_contexts;
	bool swaps; /* contexts matter, and the kernel swaps them */
};

/* Prepares rings for the CPUs of the target; opens nothing yet. `size`: bytes of a ring's data. */
void mp_rings_init(struct mp_rings *r, const struct mp_target *target, size_t size);

/* Registers a stream of events for each ring. */
void mp_rings_add_streams(struct mp_rings *r, struct mp_queue *q);

/*
 * Opens all events, disabled: on the tasks or cgroups of the target, or on the whole system.
 * Returns 0, or -1 with `*error` (owned by the caller) that says what is missing.
 */
int mp_rings_open(struct mp_rings *r, const struct mp_events *events,
		  const struct mp_target *target, char **error);

/*
 * Opens the events on one more task. Returns 0; 1: the task has ended; or -1 with `*error`. Call
 * mp_rings_ready() after the last one.
 */
int mp_rings_open_on(struct mp_rings *r, const struct mp_events *events,
		     const struct mp_target *target, pid_t tid, char **error);

/*
 * To be called after the last event was opened. Returns 0, or -1 with `*error`: no event is open,
 * or one on CPUs cannot be opened.
 */
int mp_rings_ready(struct mp_rings *r, const struct mp_events *events,
		   const struct mp_target *target, char **error);
/*
 * Closes everything. `apart`: another process closes the files for which the kernel takes long, see
 * deferred_close.h.
 */
void mp_rings_close(struct mp_rings *r, bool apart);

/* Closes only the events, for a process that is about to end. Any thread may call this. */
void mp_rings_leave(const struct mp_rings *r);

/*
 * Sets the filters of the tracepoints. These exclude the tasks in `exclude`, except from events
 * that may concern other tasks, and from those of interrupts. Returns 0, or -1 with `*error`.
 */
int mp_rings_filter(struct mp_rings *r, const struct mp_events *events,
		    const struct mp_pids *exclude, char **error);

/*
 * Whether an event, or both events of a ratio, can be opened on this machine at all: tries it on
 * this process. Returns 0, or -1 with `*error`.
 */
int mp_ring_try_event(const struct mp_event *e, char **error);

/*
 * perf_event_open(2) for an event, with an attr derived from the event's. Returns -1 with errno and
 * `*error` on failure.
 */
int mp_ring_open_event(const struct mp_event *e, struct perf_event_attr *attr, pid_t pid, int cpu,
		       unsigned long flags, char **error);

/*
 * The same in the group of `leader`, or of its own for -1, without a message: for callers that can
 * go on after some errors.
 */
int mp_ring_open_in_group(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
			  unsigned long flags);

/* A message (owned by the caller): why perf_event_open(2) refused the event with this errno. */
char *mp_ring_explain(const struct mp_event *e, const struct perf_event_attr *attr, int error);

/*
 * Enable and disable all events: the tracepoints of a CPU (and task or cgroup) together, others one
 * by one.
 */
void mp_rings_enable(struct mp_rings *r);
void mp_rings_disable(struct mp_rings *r);

/*
 * Lets the kernel swap the contexts of tasks again, unless the events need them apart. They are
 * kept apart from when events are opened on a process that runs.
 */
void mp_rings_let_swap(struct mp_rings *r, const struct mp_events *events);

/*
 * Whether all tasks on which the events were opened, and their children, have ended. To be called
 * by one thread only, which polls.
 */
bool mp_rings_orphaned(const struct mp_rings *r);

/* Reads the kernel's counters. False if they cannot be read. */
bool mp_counter_read(const struct mp_rings *r, const struct mp_counter *c,
		     struct mp_counts *counts);

/* The counter of a sample; NULL if the id is unknown. */
const struct mp_counter *mp_rings_find(const struct mp_rings *r, uint64_t id);

/*
 * mp_ring_pending() returns the number of bytes in a ring from *tail on; mp_ring_copy() copies some
 * of them, oldest first.
 */
size_t mp_ring_pending(const struct mp_ring *r, uint64_t *tail);
void mp_ring_copy(const struct mp_ring *r, uint64_t tail, size_t len, void *to);
void mp_ring_consume(const struct mp_ring *r, uint64_t tail);

/*
 * The message for a process that may not open events: which of root, CAP_PERFMON and
 * perf_event_paranoid it lacks, and what would work. The caller frees it.
 */
char *mp_perf_advice(const char *event);

/* Whether this process may record the kernel and the processes of others. */
bool mp_perf_may_kernel(void);
bool mp_perf_may_system(void);

#endif
