/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs on sampled events (bpf/filter.bpf.c), which decide what samples are kept: those of
 * excluded processes are not, and others by what the event's specification says. Includes event, proc.
 */
#ifndef MP_CAPTURE_BPF_BPFFILTER_H
#define MP_CAPTURE_BPF_BPFFILTER_H

#include "lib/capture/event/event.h"
#include "lib/capture/host/proc.h"

struct mp_bpf_filters;

/*
 * Loads a program for each kind of moment that the events ask for, and gives it to them, for
 * mp_rings_open(). An event whose user stacks are taken by BPF has a program already.
 *
 * Excluded processes are kept out as well where that can be done; where not, the caller drops their
 * samples, and counts them. Moments that cannot be told apart here are an error: -1 with `*error`
 * (owned by the caller). NULL in `*filters` is fine, too.
 */
int mp_bpf_filters_open(struct mp_bpf_filters **filters, struct mp_events *events,
			const struct mp_pids *exclude, char **error);
/* Whether the moments that an event asks for can be told here. 0, or -1 with `*error`. */
int mp_bpf_filters_try(const struct mp_event *e, char **error);
void mp_bpf_filters_free(struct mp_bpf_filters *f);

#endif
