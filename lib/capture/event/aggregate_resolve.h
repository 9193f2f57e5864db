/* SPDX-License-Identifier: GPL-2.0-only */
/* How a resolved event is added up in the kernel instead of recorded. Includes event. */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_RESOLVE_H
#define MP_CAPTURE_EVENT_AGGREGATE_RESOLVE_H

#include "lib/capture/event/event.h"

/* NULL, or why it cannot be (static). */
const char *mp_event_why_no_agg(const struct mp_event *e, const struct mp_spec *spec);

/* Takes `sum` over: no sample comes, and the parts of the stack are the program's to take. */
void mp_event_use_agg(struct mp_event *e, struct mp_event_agg *sum, enum mp_stack_part part);

#endif
