/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on the tasks of processes that run already. A task that is born while the events of its
 * parent are being opened inherits some of them: it gets all of its own, and of its samples only
 * those of its own count. So none is missed, and none is recorded twice. Includes ring, track.
 */
#ifndef MP_CAPTURE_RING_ATTACH_H
#define MP_CAPTURE_RING_ATTACH_H

#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track.h"

/*
 * Opens the events on all threads of the processes and on what they start meanwhile; target->tids gets
 * those on which they were opened, `sources` those of them that may have inherited events as well
 * (struct mp_tasks). The records of the tracking go to its streams. 0, or -1 with `*error` (owned by the
 * caller).
 */
int mp_attach(struct mp_rings *rings, const struct mp_events *events, struct mp_target *target,
	      const struct mp_pids *pids, struct mp_track *track, struct mp_pids *sources,
	      char **error);

/* Starts them: for tasks that are being born, mp_rings_enable() is not enough. */
void mp_attach_enable(struct mp_rings *rings);

#endif
