/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the rings are complete. The kernel takes the time of an event before it publishes the
 * event, and may be interrupted in between; another CPU's later event can be seen earlier. But it
 * does both with preemption disabled. So after an RCU grace period every event whose time lies
 * before the beginning of that period is in its ring, and membarrier(MEMBARRIER_CMD_GLOBAL) is a
 * grace period for the asking: 8 ms here, 7 us of CPU. A watermark taken so is a fact, not a guess.
 * Includes base only.
 */
#ifndef MP_CAPTURE_RING_GRACE_H
#define MP_CAPTURE_RING_GRACE_H

#include "lib/core/base.h"

struct mp_grace;

/*
 * Starts the thread that asks. `realtime` is its SCHED_FIFO priority, 0: none. `*tid` gets its
 * thread id, so that the recording can exclude it.
 */
struct mp_grace *mp_grace_start(int realtime, int *tid);
void mp_grace_stop(struct mp_grace *s);

/* Readable when there is news; mp_grace_time() clears it. */
int mp_grace_fd(const struct mp_grace *s);

/*
 * All events with times (CLOCK_MONOTONIC, ns) below this were in the rings before the call. A
 * machine so busy that no grace period ends within 200 ms leaves only a guess: what is older than
 * that has settled. An event that comes later all the same is counted as late.
 */
uint64_t mp_grace_time(struct mp_grace *s);

/* Asks again at once: for the end, which someone waits for. */
void mp_grace_expedite(struct mp_grace *s);

/*
 * How often it was a guess: under such a load, or, after 20 ms, where the kernel grants no grace
 * periods at all (nohz_full).
 */
uint64_t mp_grace_guesses(const struct mp_grace *s);

#endif
