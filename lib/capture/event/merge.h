/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges two events that are the same one. Includes event. */
#ifndef MP_CAPTURE_EVENT_MERGE_H
#define MP_CAPTURE_EVENT_MERGE_H

#include "lib/capture/event/event.h"

/*
 * `to` becomes an event that serves both: the fields, the stack and the occurrences of both, the more
 * frequent sampling, as precise as either, user space and the kernel if each wants one. -1: fields of
 * both have one name and are not the same, or there are too many; then they are those of `to`.
 */
int mp_event_merge(struct mp_event *to, const struct mp_event *from);

/*
 * Moves the events of `from` to `to`. An event that is in both gets the fields, the stack and the
 * occurrences of both; a message reports fields that cannot be combined.
 */
void mp_events_merge(struct mp_events *to, struct mp_events *from);

#endif
