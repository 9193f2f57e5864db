/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects the fields of events that are recorded: --fields. Includes event. */
#ifndef MP_CAPTURE_EVENT_FIELDS_H
#define MP_CAPTURE_EVENT_FIELDS_H

#include "lib/capture/event/event.h"

/*
 * Keeps, for all events, the fields of a list such as "cpu,comm,.prev_*,stack". Returns 0, or -1
 * with `*error` (owned by the caller) if no event has such a field; the error suggests the nearest
 * name.
 */
int mp_events_choose_fields(struct mp_events *events, const char *fields, char **error);

#endif
