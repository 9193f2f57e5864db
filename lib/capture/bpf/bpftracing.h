/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel, as they begin and end, and raw tracepoints:
 *
 *	fentry:FUNCTION[(FIELD,...)]	fexit:FUNCTION[(FIELD,...)]	rawtp:NAME[(FIELD,...)]
 *
 * FIELD: see prototype.h; filters: tracingfilter.h. A BPF program (bpf/tracing.bpf.c) puts the
 * arguments into samples of a software event on each CPU, which is an event of the recording like
 * others. What such a program itself misses, as the kernel tells, counts as lost. Includes bpftarget, prototype, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFTRACING_H
#define MP_CAPTURE_BPF_BPFTRACING_H

#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/event/prototype.h"
#include "lib/capture/ring/ring.h"

/* What the program of one event is told. */
struct mp_tracing {
	enum mp_traced traced;
	char *name; /* of the function or tracepoint */
	struct mp_tracing_setup setup;
};

/*
 * What the name of an event says; its fields in `*tp`. Both are owned by the caller. NULL with
 * `*error` (likewise).
 */
struct mp_tracing *mp_tracing_parse(const char *name, struct mp_tp **tp, char **error);
void mp_tracing_free(struct mp_tracing *t);

/*
 * Adds the fields of an event to those of another of the same function or tracepoint. -1: some have the
 * same name and are not the same, or there is no room; then nothing is added.
 */
int mp_tracing_merge(struct mp_event *to, const struct mp_event *from);

/* The kind of an event by the beginning of its name, "fentry:"; false: it is none of these. */
bool mp_tracing_kind(const char *name, enum mp_traced *traced, const char **rest);

struct mp_tracings;

/*
 * Loads a program for each such event, and puts it on; the events are open. NULL in `*tracings` where
 * there is none. 0, or -1 with `*error` (owned by the caller).
 */
int mp_tracings_open(struct mp_tracings **tracings, const struct mp_events *events,
		     const struct mp_rings *rings, const struct mp_bpf_target *target,
		     char **error);
void mp_tracings_free(struct mp_tracings *t);

/* When the events are switched on, and off; the latter from any thread, NULL is fine. */
void mp_tracings_start(struct mp_tracings *t);
void mp_tracings_stop(struct mp_tracings *t);

/*
 * How often an event happened on a CPU while it was on; and, on any, while its program ran for another
 * occurrence, which it does not see.
 */
uint64_t mp_tracings_fired(const struct mp_tracings *t, size_t event, int cpu);
uint64_t mp_tracings_missed(const struct mp_tracings *t, size_t event);

/* Whether this machine lets a program on the event. 0, or -1 with `*error` (owned by the caller). */
int mp_tracings_try(const struct mp_event *e, char **error);

#endif
