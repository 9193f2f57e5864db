/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In-kernel aggregation: loads the programs of bpf/aggregate.bpf.c, which aggregate events by
 * stack, and reads their totals. They send each stack once, as a record among those of bpfstack.h;
 * the totals are read from the kernel's tables. Two tables of totals take 7 MiB each; where memory
 * is tracked until it is freed, the table of what is held takes 50 MiB. Includes bpfstack,
 * bpftarget, cut, event, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFAGGREGATE_H
#define MP_CAPTURE_BPF_BPFAGGREGATE_H

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/event/event.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/ring/ring.h"

struct mp_bpf_aggregate;

/*
 * Tests whether this machine lets this process load the programs. Returns 0, or -1 with `*error`
 * (owned by the caller).
 */
int mp_bpf_aggregate_possible(char **error);

/*
 * Loads the programs for the aggregated events; `stacks` has the tables by which they walk user
 * stacks. `system`: neither cgroups nor single CPUs are recorded, as is required for aggregates
 * without events. Returns NULL with `*error` (owned by the caller) on failure.
 */
struct mp_bpf_aggregate *mp_bpf_aggregate_open(const struct mp_events *events,
					       struct mp_bpf_stacks *stacks,
					       const struct mp_bpf_target *target, bool system,
					       char **error);
void mp_bpf_aggregate_free(struct mp_bpf_aggregate *a);

/* Attaches the programs to the events, after these were opened. Returns 0, or -1 with `*error`. */
int mp_bpf_aggregate_attach(struct mp_bpf_aggregate *a, const struct mp_rings *rings,
			    const struct mp_events *events, char **error);

/*
 * The programs aggregate between the calls of mp_bpf_aggregate_start() and mp_bpf_aggregate_stop().
 * Any thread may call the latter.
 */
void mp_bpf_aggregate_start(struct mp_bpf_aggregate *a);
void mp_bpf_aggregate_stop(struct mp_bpf_aggregate *a);

/*
 * There are two tables of totals; the programs fill one of them. At most once a second, and only if
 * they stopped filling the other one before `settled_ns`, passes the totals of that one, empties
 * it, and makes the programs fill it from now on. Returns whether it did.
 */
bool mp_bpf_aggregate_tick(struct mp_bpf_aggregate *a, uint64_t settled_ns, mp_cut_totals_fn *pass,
			   void *arg);

/* Passes all remaining totals; to be called after mp_bpf_aggregate_stop(). */
void mp_bpf_aggregate_finish(struct mp_bpf_aggregate *a, mp_cut_totals_fn *pass, void *arg,
			     struct mp_cut_aggregate_end *end);

#endif
