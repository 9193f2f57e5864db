/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of processes, read from /proc: the events "mem:rss" and "mem:pss". Includes event,
 * sampled.
 */
#ifndef MP_CAPTURE_POLL_MEMSTAT_H
#define MP_CAPTURE_POLL_MEMSTAT_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/sampled.h"

struct mp_memstat;

/*
 * Makes a reader of the memory of processes. `event` is the index of `e`. The arguments are
 * borrowed.
 */
struct mp_memstat *mp_memstat_new(const struct mp_event *e, uint32_t event,
				  const struct mp_sample_of *of);
void mp_memstat_free(struct mp_memstat *m);

/*
 * Reads all processes, and appends a record for each. With a limit (top), it appends a record for
 * each process that is or was among the largest, so that none moves between these and the rest, and
 * one named "[rest]" for all others. Returns false if `*stop` was set during the call.
 */
bool mp_memstat_read(struct mp_memstat *m, const bool *stop, struct mp_buf *records);

/* The largest number of processes in one round that could not be read for lack of permission. */
size_t mp_memstat_refused(const struct mp_memstat *m);

#endif
