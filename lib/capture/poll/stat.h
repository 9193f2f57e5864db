/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts events instead of recording them: how often they happened in each interval, as events
 * "stat:NAME" of a CPU, process, thread or cgroup; or the ratio of how often two events happened.
 * Includes event, sampled.
 */
#ifndef MP_CAPTURE_POLL_STAT_H
#define MP_CAPTURE_POLL_STAT_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/sampled.h"

struct mp_stat;

/*
 * Opens the counters of those of the events that are counted with this interval. Returns NULL with
 * `*error` (owned by the caller), which it does not touch otherwise.
 */
struct mp_stat *mp_stat_open(const struct mp_events *events, uint64_t interval_ns,
			     const struct mp_sample_of *of, char **error);
void mp_stat_free(struct mp_stat *s);

/* Starts counting. The counters of a command start with the command. */
void mp_stat_enable(struct mp_stat *s);

/* Appends records with the counts since mp_stat_taken(). */
void mp_stat_read(struct mp_stat *s, struct mp_buf *records);
void mp_stat_taken(struct mp_stat *s);

#endif
