/* SPDX-License-Identifier: GPL-2.0-only */
/* Resolves specifications to events. Includes event, source, suggest. */
#ifndef MP_CAPTURE_EVENT_RESOLVE_H
#define MP_CAPTURE_EVENT_RESOLVE_H

#include "lib/capture/event/event.h"
#include "lib/capture/event/source.h"
#include "lib/core/suggest.h"

/*
 * Resolves specifications by the sources, in their order (NULL follows the last one). A glob is
 * resolved to every event that matches. Returns 0, or -1 with `*error` (owned by the caller) if
 * there is no such event (the error suggests the nearest name), tracefs is not available, or no
 * event has a field. `*tracefs` is opened when the first tracepoint needs it.
 */
int mp_events_resolve(struct mp_events *events, const struct mp_specs *specs,
		      const struct cap_source *const *sources,
		      const struct mp_event_options *options, struct mp_tracefs **tracefs,
		      char **error);

/* Finds the name of any source that is nearest to an unknown one. */
void mp_events_suggest(struct mp_suggest *near, const struct cap_source *const *sources,
		       struct mp_tracefs **tracefs);

#endif
