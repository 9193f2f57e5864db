/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums by stack that the kernel makes (bpf/aggregate.bpf.c): the program on its events, the stacks that it
 * sends once each, put into words while their processes are there, and the lines at the end. In the
 * kernel, 7 MiB for each of two tables of sums, and where memory is followed 50 MiB for what is held.
 * Includes bpfstack, bpftarget, event, format, ring, stacks, task, unwound.
 */
#ifndef MP_CAPTURE_AGGREGATE_AGGREGATE_H
#define MP_CAPTURE_AGGREGATE_AGGREGATE_H

#include "bpf/aggregate.h"
#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/event/event.h"
#include "lib/capture/format/format.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/stack/chain_text.h"
#include "lib/capture/stack/task.h"
#include "lib/capture/stack/unwind_stats.h"
#include "lib/stream/taskname.h"

struct mp_aggregator;

/* Whether some of the events are added up. */
bool mp_aggregator_wanted(const struct mp_events *events);

/* Whether this machine and this process can have them. 0, or -1 with `*error` (owned by the caller). */
int mp_aggregator_possible(char **error);

/*
 * Loads the program for the sums among the events; `stacks` are for the user part. `system`: neither
 * cgroups nor single CPUs are recorded; the sums that are no events need that. Returns NULL with
 * `*error` (owned by the caller) if that cannot be.
 */
struct mp_aggregator *mp_aggregator_open(const struct mp_events *events,
					 struct mp_bpf_stacks *stacks,
					 const struct mp_bpf_target *target, bool system,
					 char **error);
void mp_aggregator_free(struct mp_aggregator *s);

/* Puts it on the events, after they were opened. 0, or -1 with `*error`. */
int mp_aggregator_attach(struct mp_aggregator *s, const struct mp_rings *rings,
			 const struct mp_events *events, char **error);

/* From here on, and no longer; the latter from any thread. */
void mp_aggregator_start(struct mp_aggregator *s);
void mp_aggregator_stop(struct mp_aggregator *s);

/* How stacks are put into words. */
struct mp_aggregator_symbols {
	struct mp_formatter *formatter; /* has copies of stacks, and walks them */
	struct mp_tasks *tasks;
	struct mp_tasknames *names; /* NULL: tasks keep theirs */
};

/* A stack that the program has sent, in the order of the stream. False if it is damaged. */
bool mp_aggregator_stack(struct mp_aggregator *s, const struct mp_agg_stack *stack,
			 const struct mp_aggregator_symbols *words);

/* Now and then: empties the table that has not been filled since before `settled_ns`. */
void mp_aggregator_tick(struct mp_aggregator *s, uint64_t settled_ns);

/*
 * After the last stack: writes a section for each sum, with a header made of `like`, sorted by
 * stack. Adds how the user stacks ended to `unwound`.
 */
typedef void mp_aggregator_put_fn(void *arg, struct mp_str line);

void mp_aggregator_write(struct mp_aggregator *s, const json_t *like,
			 struct mp_unwind_stats *unwound, mp_aggregator_put_fn *put, void *arg);

struct mp_aggregator_losses {
	uint64_t count;	      /* occurrences that could not be added */
	uint64_t unsent;      /* stacks that did not fit at first */
	uint64_t unknown;     /* occurrences whose stack did not come */
	size_t stacks, texts; /* that came; of them different in words */
};

void mp_aggregator_losses(const struct mp_aggregator *s, struct mp_aggregator_losses *losses);

#endif
