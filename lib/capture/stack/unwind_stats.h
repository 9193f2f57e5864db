/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the user stacks of a recording ended, by the method that took them: for the trailer and for
 * people. Includes ctl, stack_method, unwind.
 */
#ifndef MP_CAPTURE_STACK_UNWIND_STATS_H
#define MP_CAPTURE_STACK_UNWIND_STATS_H

#include "lib/capture/host/stack_method.h"
#include "lib/capture/stack/unwind.h"
#include "lib/stream/ctl.h"

struct mp_unwind_stats {
	uint64_t ends[MP_METHODS][MP_UNWIND_ENDS];
	uint64_t copies; /* stacks by BPF that were walked here, as it had no tables for them */
};

/* Adds "unwound" to a trailer, if there were user stacks. */
void mp_unwind_stats_json(const struct mp_unwind_stats *u, json_t *trailer);

/* A line on stderr for each method: stacks, the share of whole ones, why the others are not. */
void mp_unwind_stats_report(const struct mp_unwind_stats *u);

#endif
