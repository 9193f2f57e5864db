/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that poll values, memory of processes and counters, each at its interval, and push them
 * into a stream of the queue. All lines of a sample have the same time, at which the last value was
 * read. Includes event, queue, sampled, ctl.
 */
#ifndef MP_CAPTURE_POLL_SAMPLER_H
#define MP_CAPTURE_POLL_SAMPLER_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/sampled.h"
#include "lib/capture/ring/queue.h"
#include "lib/stream/ctl.h"

struct mp_samplers;

/*
 * Opens files and counters, registers a stream of readings, and starts the threads, which wait
 * until they are enabled; `tids` gets their thread ids. Returns NULL if there is nothing to poll
 * (`*error` is NULL), or with `*error`, which the caller frees. The arguments are borrowed until
 * mp_samplers_free().
 */
struct mp_samplers *mp_samplers_start(const struct mp_events *events, const struct mp_sample_of *of,
				      struct mp_queue *queue, struct mp_pids *tids, char **error);
void mp_samplers_free(struct mp_samplers *s);

/*
 * mp_samplers_enable() starts counting; mp_samplers_go() starts sampling, once the command runs.
 * All functions accept NULL and do nothing.
 */
void mp_samplers_enable(struct mp_samplers *s);
void mp_samplers_go(struct mp_samplers *s);

/*
 * A lower bound of the times of records that will be pushed; UINT64_MAX if all of them will be
 * later than now. Never waits. After a time T has passed, all records before the smaller of T and
 * the bound are pushed.
 */
uint64_t mp_samplers_bound(const struct mp_samplers *s);

/* Ends the threads: pushes the counts of the last interval, and abandons a sample of memory. */
void mp_samplers_stop(struct mp_samplers *s);

/*
 * Report the cost of the samplers, as "samplers" of the trailer and on stderr. To be called after
 * mp_samplers_stop().
 */
void mp_samplers_json(const struct mp_samplers *s, json_t *trailer);
void mp_samplers_report(const struct mp_samplers *s, bool verbose);

#endif
