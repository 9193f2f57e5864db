/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out up to which time the rings are complete. The kernel reads the time of an event before
 * it publishes the event, and may be interrupted in between; a later event of another CPU can be
 * seen earlier. But the kernel does both with preemption disabled. So after an RCU grace period
 * every event from before that period is in its ring, and membarrier(MEMBARRIER_CMD_GLOBAL) waits
 * for a grace period: 8 ms here, 7 us of CPU. A watermark from it is certain. Includes base only.
 */
#ifndef MP_CAPTURE_RING_GRACE_H
#define MP_CAPTURE_RING_GRACE_H

#include "lib/core/base.h"

struct mp_grace;

/*
 * Starts the thread that waits for grace periods. `realtime` is its SCHED_FIFO priority, 0: none.
 * `*tid` gets its thread id, so that the recording can exclude it.
 */
struct mp_grace *mp_grace_start(int realtime, int *tid);
void mp_grace_stop(struct mp_grace *s);

/* Readable after each grace period; mp_grace_time() clears it. */
int mp_grace_fd(const struct mp_grace *s);

/*
 * All events with times (CLOCK_MONOTONIC, ns) below this were in the rings before the call. If the
 * machine is so busy that no grace period ends within 200 ms, this is an estimate: the time 200 ms
 * ago. An event that still comes later is counted as late.
 */
uint64_t mp_grace_time(struct mp_grace *s);

/* Waits for another grace period immediately, for the end of the recording. */
void mp_grace_expedite(struct mp_grace *s);

/*
 * How often the time was an estimate: because the machine was too busy (see mp_grace_time()), or
 * because the kernel has no grace periods at all (nohz_full), in which case the estimate is the
 * time 20 ms ago.
 */
uint64_t mp_grace_guesses(const struct mp_grace *s);

#endif
