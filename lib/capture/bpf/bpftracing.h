/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs (bpf/tracing.bpf.c) that record functions of the kernel and raw tracepoints, see
 * traced.h. Each writes the arguments to samples of a software event on each CPU, which is recorded
 * like any other event. The runs of a program that the kernel skips and counts are reported as
 * lost. Includes bpftarget, event, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFTRACING_H
#define MP_CAPTURE_BPF_BPFTRACING_H

#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/event/event.h"
#include "lib/capture/ring/ring.h"

struct mp_tracings;

/* Whether the event has such a program. */
bool mp_tracings_has(const struct mp_event *e);

/*
 * Loads a program for each such event and attaches it. The events must be open. Returns 0, or -1
 * with `*error` (owned by the caller).
 */
int mp_tracings_open(struct mp_tracings **tracings, const struct mp_events *events,
		     const struct mp_rings *rings, const struct mp_bpf_target *target,
		     char **error);
void mp_tracings_free(struct mp_tracings *t);

/*
 * To be called when the events are enabled, and when they are disabled; mp_tracings_stop() from any
 * thread, and with NULL, too.
 */
void mp_tracings_start(struct mp_tracings *t);
void mp_tracings_stop(struct mp_tracings *t);

/*
 * How often an event happened on a CPU while it was enabled, and how often, on all CPUs together,
 * the kernel skipped its program, since that was running for another occurrence.
 */
uint64_t mp_tracings_fired(const struct mp_tracings *t, size_t event, int cpu);
uint64_t mp_tracings_missed(const struct mp_tracings *t, size_t event);

/*
 * Tests whether this machine accepts a program for the event. Returns 0, or -1 with `*error` (owned
 * by the caller).
 */
int mp_tracings_try(const struct mp_event *e, char **error);

#endif
