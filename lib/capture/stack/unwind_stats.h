/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how the walks over user stacks ended, by method, for the trailer and for stderr. Includes
 * ctl, stack_method, unwind.
 */
#ifndef MP_CAPTURE_STACK_UNWIND_STATS_H
#define MP_CAPTURE_STACK_UNWIND_STATS_H

#include "lib/capture/host/stack_method.h"
#include "lib/capture/stack/unwind.h"
#include "lib/stream/ctl.h"

struct mp_unwind_stats {
	uint64_t ends[MP_METHODS][MP_UNWIND_ENDS];
	/* number of stacks by MP_METHOD_BPF that were copied, and unwound in user space */
	uint64_t copies;
};

/* Adds "unwound" to a trailer, if there were user stacks. */
void mp_unwind_stats_json(const struct mp_unwind_stats *u, json_t *trailer);

/*
 * Prints a line on stderr for each method: number of stacks, percentage of complete ones, reasons
 * why the others are incomplete.
 */
void mp_unwind_stats_report(const struct mp_unwind_stats *u);

#endif
