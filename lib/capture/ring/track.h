/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libperf does for us: the list of CPUs, and a dummy event with rings of its own that tells of
 * tasks (MMAP2, COMM, FORK, EXIT), so that a flood of samples never costs a name. The only user of
 * libperf. Includes target.
 */
#ifndef MP_CAPTURE_RING_TRACK_H
#define MP_CAPTURE_RING_TRACK_H

#include "lib/capture/host/target.h"

struct perf_event_header;
struct mp_track;

/*
 * Parses "0,2-4" (NULL: all that are online) into `cpus`, freed by the caller. Returns how many, or
 * -1 with `*error` (owned by the caller): no list, or a CPU that is not online.
 */
int mp_track_cpus_parse(const char *list, int **cpus, char **error);

/*
 * Opens and starts the tracking of the tasks of the target (all, if it is the system or cgroups, or
 * if `everything`). `maps`: mappings of code too. NULL with `*error`.
 */
struct mp_track *mp_track_open(const struct mp_target *target, bool everything, bool maps,
			       bool exclude_kernel, char **error);
void mp_track_close(struct mp_track *t);

/* How many rings there are. */
size_t mp_track_rings(const struct mp_track *t);

/* Calls `each` for the records of a ring; a record is valid during the call. */
typedef void mp_track_fn(void *arg, const struct perf_event_header *record);

void mp_track_read(struct mp_track *t, size_t ring, mp_track_fn *each, void *arg);

#endif
