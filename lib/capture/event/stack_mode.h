/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets which parts of the stack are recorded with an event, and by which methods. Includes event.
 */
#ifndef MP_CAPTURE_EVENT_STACK_MODE_H
#define MP_CAPTURE_EVENT_STACK_MODE_H

#include "lib/capture/event/event.h"

/*
 * Sets the stack according to the specification, else to the options, else to the default for the
 * event. Returns 0, or -1 with `*error` (owned by the caller).
 */
int mp_event_set_stack(struct mp_event *e, const struct mp_spec *spec,
		       const struct mp_event_options *options, char **error);

/*
 * Changes the event so that its user stacks are unwound without BPF: probes copy them, others use
 * frame pointers.
 */
void mp_event_without_bpf(struct mp_event *e);

#endif
