/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that read what no event tells of, memory of processes and counters, each at its interval,
 * and push it into a stream of the queue. The lines of a sample have one time, at which all
 * of it had been read. Includes event, queue, sampled, ctl.
 */
#ifndef MP_CAPTURE_POLL_SAMPLER_H
#define MP_CAPTURE_POLL_SAMPLER_H

#include "lib/capture/event/event.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/host/sampled.h"
#include "lib/stream/ctl.h"

struct mp_samplers;

/*
 * Opens what they read and starts the threads, which wait; `tids` gets their thread ids. NULL if there
 * is nothing to sample, or with `*error` (owned by the caller; else NULL). All is borrowed until
 * mp_samplers_free(). Registers a stream of readings.
 */
struct mp_samplers *mp_samplers_start(const struct mp_events *events, const struct mp_sample_of *of,
				      struct mp_queue *queue, struct mp_pids *tids, char **error);
void mp_samplers_free(struct mp_samplers *s);

/* Starts to count, and, when the command runs, to sample. Of NULL nothing, as all that follow. */
void mp_samplers_enable(struct mp_samplers *s);
void mp_samplers_go(struct mp_samplers *s);

/*
 * A lower bound of the times of what will be pushed; UINT64_MAX: not before now. Never waits. Asked
 * behind a time that has passed, that time or the bound is what has settled.
 */
uint64_t mp_samplers_bound(const struct mp_samplers *s);

/* Ends them: what was counted in the last interval is pushed, a sample of memory is given up. */
void mp_samplers_stop(struct mp_samplers *s);

/* What they cost: "samplers" of the trailer, and for people. After the end. */
void mp_samplers_json(const struct mp_samplers *s, json_t *trailer);
void mp_samplers_report(const struct mp_samplers *s, bool verbose);

#endif
