/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens events on the tasks of processes that already run. A task that is created while the events
 * of its parent are being opened inherits some of them: it gets events of its own, and only the
 * samples of these count. So no sample is missed or recorded twice. Includes ring, track.
 */
#ifndef MP_CAPTURE_RING_ATTACH_H
#define MP_CAPTURE_RING_ATTACH_H

#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track.h"

/*
 * Opens the events on all threads of the processes, and on tasks that they start during the call.
 * target->tids gets the tasks on which events were opened, `sources` those of them that may also
 * have inherited events (struct mp_tasks). The records that tracking receives during the call go to
 * its streams. Returns 0, or -1 with `*error` (owned by the caller).
 */
int mp_attach(struct mp_rings *rings, const struct mp_events *events, struct mp_target *target,
	      const struct mp_pids *pids, struct mp_track *track, struct mp_pids *sources,
	      char **error);

/*
 * Enables the events; while tasks are being created, mp_rings_enable() does not reach all of them.
 * On a busy machine even this misses some, so mp_rings_enable() has to be called again later.
 * mp_rings_let_swap() is to be called after this.
 */
void mp_attach_enable(struct mp_rings *rings);

#endif
