/* SPDX-License-Identifier: GPL-2.0-only */
/* From specifications to events. Includes event. */
#ifndef MP_CAPTURE_EVENT_RESOLVE_H
#define MP_CAPTURE_EVENT_RESOLVE_H

#include "lib/capture/event/event.h"

/*
 * Resolves specifications, globs to every event that matches. Returns 0, or -1 with `*error` (owned
 * by the caller): no such event, with the nearest name; tracefs not to be had; a field that no
 * event has. `*tracefs` is opened when the first tracepoint needs it.
 */
int mp_events_resolve(struct mp_events *events, const struct mp_specs *specs,
		      const struct mp_event_options *options, struct mp_tracefs **tracefs,
		      char **error);

#endif
