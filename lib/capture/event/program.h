/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints that a BPF program records. Some kernels drop the samples of tracepoints in
 * interrupts of an idle CPU without counting them, but not the samples that a program makes. The
 * type of such an event and its fields stay those of the tracepoint. Includes event.
 */
#ifndef MP_CAPTURE_EVENT_PROGRAM_H
#define MP_CAPTURE_EVENT_PROGRAM_H

#include "lib/capture/event/event.h"

/* The program that records an event in place of its tracepoint. */
struct mp_event_program {
	struct mp_tracing *tracing;
	struct mp_tp *tp; /* format of the record; NULL: it has the layout of the tracepoint */
};

/*
 * Finds a program for an event that may happen on an idle CPU: one on the raw tracepoint, if it is
 * known how the fields follow from the parameters; else one that copies the tracepoint's record.
 * Returns false if the event is of another kind, or has a filter, which only the tracepoint can
 * apply.
 */
bool mp_event_find_program(const struct mp_event *e, struct mp_event_program *p);
void mp_event_program_release(struct mp_event_program *p);

/* Makes the program record the event; takes ownership of the contents of `p`. */
void mp_event_use_program(struct mp_event *e, struct mp_event_program *p);

#endif
