/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries to system calls whose arguments point to texts, such as the path of openat. A tracepoint
 * has only the pointer; a BPF program (bpf/calls.bpf.c) can record the text in its place. Includes
 * program.
 */
#ifndef MP_CAPTURE_EVENT_CALL_H
#define MP_CAPTURE_EVENT_CALL_H

#include "lib/capture/event/program.h"

/* Makes the fields of a tracepoint those that the program records, if it is such a call. */
void mp_event_call_fields(struct mp_tp *tp);

/*
 * Finds a program for an event that is the tracepoint of a system call with such arguments. Its
 * setup has the kinds of the arguments, from field 1 on, and the filter. Returns false if the event
 * is of another kind, or only the tracepoint can apply its filter.
 */
bool mp_event_find_call(const struct mp_event *e, struct mp_event_program *p);

/*
 * For such a call that remains a tracepoint: makes its filter compare the texts, which the kernel
 * does for fields "NAME.ustring".
 */
void mp_event_call_filter(struct mp_event *e);

/* Makes the program record the event, with texts as fields; takes ownership of `p`'s contents. */
void mp_event_use_call(struct mp_event *e, struct mp_event_program *p);

#endif
