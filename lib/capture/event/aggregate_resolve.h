/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns a resolved event into one that is aggregated in the kernel instead of recorded. Includes
 * event.
 */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_RESOLVE_H
#define MP_CAPTURE_EVENT_AGGREGATE_RESOLVE_H

#include "lib/capture/event/event.h"

/* The reason why an event cannot be aggregated (static), or NULL if it can. */
const char *mp_event_why_no_agg(const struct mp_event *e, const struct mp_spec *spec);

/*
 * Changes the event so that it is aggregated in `agg` and makes no samples; the program reads
 * `part` of the stack.
 */
void mp_event_use_agg(struct mp_event *e, struct mp_event_agg *agg, enum mp_stack_part part);

#endif
