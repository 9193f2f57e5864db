/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes what the file side gets to know of the events (host/cut_event.h). Includes cut_event,
 * event.
 */
#ifndef MP_CAPTURE_EVENT_CUT_H
#define MP_CAPTURE_EVENT_CUT_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/cut_event.h"

/* To be called when all events are open, since opening them may change how stacks are taken. */
void mp_events_cut(const struct mp_events *events, struct mp_cut_events *to);

/*
 * Whether the event may concern another task than the one in whose context it happens. The
 * scheduler's events do: without those of one task, it is unknown which task has its CPU. So do
 * those of interrupts. They are recorded in mp-record itself, too.
 */
bool mp_event_of_any_task(const struct mp_event *e);

#endif
