/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs on sampled events (bpf/filter.bpf.c), which keep a sample unless its process is
 * excluded, or the conditions of the event's specification do not hold. Includes event, proc.
 */
#ifndef MP_CAPTURE_BPF_BPFFILTER_H
#define MP_CAPTURE_BPF_BPFFILTER_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/proc.h"

struct mp_bpf_filters;

/*
 * Loads a program for each combination of conditions, and sets it in the events for
 * mp_rings_open(). An event whose user stacks BPF walks has another program, and an event can have
 * only one.
 *
 * Where a program cannot exclude processes, the caller drops their samples and counts them. Returns
 * 0, or -1 with `*error` (owned by the caller) if conditions cannot be tested on this machine.
 */
int mp_bpf_filters_open(struct mp_bpf_filters **filters, struct mp_events *events,
			const struct mp_pids *exclude, char **error);
/*
 * Tests whether the conditions of an event can be tested on this machine. Returns 0, or -1 with
 * `*error`.
 */
int mp_bpf_filters_try(const struct mp_event *e, char **error);
void mp_bpf_filters_free(struct mp_bpf_filters *f);

#endif
