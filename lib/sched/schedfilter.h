/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides whether all events of a task were recorded although a kernel filter selected events. An
 * unknown name has p == NULL. Includes schedin.
 */
#ifndef MP_SCHED_SCHEDFILTER_H
#define MP_SCHED_SCHEDFILTER_H

#include "lib/sched/schedin.h"

struct mp_sched_seen {
	bool recorded[MP_SCHED_WHATS];
	const char *filters[MP_SCHED_WHATS]; /* filters by kind of event, borrowed; NULL: none */
};

/*
 * Whether all switches from, or to, a task are recorded. Returns false if the form of the filter is
 * unknown.
 */
bool mp_sched_sees_outs(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm);
bool mp_sched_sees_ins(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm);

/*
 * Whether the end of a state would be recorded, so that the task is known to be in this state until
 * then.
 */
bool mp_sched_sees_end(const struct mp_sched_seen *s, enum mp_sched_state state, int32_t tid,
		       struct mp_str comm);

#endif
