/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of CPUs, and a dummy event that makes the kernel send the records of tasks (MMAP2, COMM,
 * FORK, EXIT). It has rings of its own, so that a flood of samples never costs a name. The only
 * user of libperf. Includes queue, target.
 */
#ifndef MP_CAPTURE_RING_TRACK_H
#define MP_CAPTURE_RING_TRACK_H

#include "lib/capture/host/target.h"
#include "lib/capture/ring/queue.h"

struct mp_track;

/*
 * Parses "0,2-4" (NULL: all online CPUs) into `cpus`, freed by the caller. Returns their number, or
 * -1 with `*error` (owned by the caller): the text is not a list, or a CPU is not online.
 */
int mp_track_cpus_parse(const char *list, int **cpus, char **error);

/*
 * Opens and starts the tracking of the tasks of the target; of all tasks if it is the system or
 * cgroups, or with `everything`. `maps`: also track mappings of code. Returns NULL with `*error` on
 * failure.
 */
struct mp_track *mp_track_open(const struct mp_target *target, bool everything, bool maps,
			       bool exclude_kernel, char **error);
void mp_track_close(struct mp_track *t);

/*
 * Starts a thread that also drains the rings, fifty times a second and whenever one has many
 * records, with real-time priority where that is permitted: its work is short, and the drainer may
 * wait for a CPU for longer than the rings last. To be called after mp_track_add_streams(), and
 * after the last mp_track_drain() with `each`. `*tid` gets its thread id.
 */
void mp_track_start(struct mp_track *t, int *tid);

/* Ends the thread that mp_track_start() started; takes up to 20 ms. */
void mp_track_stop(struct mp_track *t);

/* Registers a stream of task records for each of its rings. Called once. */
void mp_track_add_streams(struct mp_track *t, struct mp_queue *q);

/*
 * Moves the available records into those streams until the queue is full. Returns a lower bound of
 * the times of the remaining records; UINT64_MAX if there are none. With `each`, all are moved, and
 * it is called for each record before that. Any thread may call this.
 */
typedef void mp_track_fn(void *arg, const struct perf_event_header *record);

uint64_t mp_track_drain(struct mp_track *t, mp_track_fn *each, void *arg);

#endif
