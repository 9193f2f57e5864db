/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of tasks and of the code that they run, and the formatter that makes lines with them.
 * Includes budget, cut_plan, format, task, unwind.
 */
#ifndef MP_CAPTURE_SESSION_LOOKUP_H
#define MP_CAPTURE_SESSION_LOOKUP_H

#include "lib/capture/format/format.h"
#include "lib/capture/host/budget.h"
#include "lib/capture/host/cut_plan.h"
#include "lib/capture/stack/task.h"
#include "lib/capture/stack/unwind.h"

/* Must not be moved, since its members point to each other. */
struct mp_record_lookup {
	struct mp_budget budget;
	struct mp_opener opener;
	struct mp_symbols symbols;
	struct mp_chain_texts stacks;
	struct mp_unwinder unwinder;
	struct mp_tasks tasks;
	struct mp_formatter formatter;
};

/* Reads the ranges of subordinate ids, the only file that this opens by itself. */
void mp_record_lookup_init(struct mp_record_lookup *l);

/* To be called when the plan is complete, before the first record. */
void mp_record_lookup_start(struct mp_record_lookup *l, const struct mp_cut_plan *plan);

/*
 * Reads the names and mappings of running tasks. To be called after the events are enabled, since
 * it takes long if there are many tasks; the tracking is running, so no change is missed.
 */
void mp_record_lookup_scan(struct mp_record_lookup *l, const struct mp_cut_plan *plan);

#endif
