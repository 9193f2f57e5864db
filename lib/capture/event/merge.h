/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges two requests for the same event. Includes event. */
#ifndef MP_CAPTURE_EVENT_MERGE_H
#define MP_CAPTURE_EVENT_MERGE_H

#include "lib/capture/event/event.h"

/*
 * Changes `to` so that it serves both: it gets the fields, the stack and the occurrences of both,
 * the more frequent sampling, the higher precision, and both user space and the kernel if each
 * wants one of them. Returns -1 if different fields of the two have the same name, or there are too
 * many fields; then the fields are those of `to`.
 */
int mp_event_merge(struct mp_event *to, const struct mp_event *from);

/*
 * Moves the events of `from` to `to`. An event that is in both is merged; a message reports fields
 * that cannot be combined.
 */
void mp_events_merge(struct mp_events *to, struct mp_events *from);

/* Whether both events are the same ratio of counters, or neither is one. */
bool mp_event_same_ratio(const struct mp_event *a, const struct mp_event *b);

#endif
