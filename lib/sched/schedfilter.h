/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events of a task were recorded, where kernel filters select events: all of them, whatever their
 * other fields are, or perhaps not. A name that is unknown is p == NULL. Includes schedin.
 */
#ifndef MP_SCHED_SCHEDFILTER_H
#define MP_SCHED_SCHEDFILTER_H

#include "lib/sched/schedin.h"

struct mp_sched_seen {
	bool recorded[MP_SCHED_WHATS];
	const char *filters[MP_SCHED_WHATS]; /* borrowed; NULL: none */
};

/* Whether all switches from, or to, a task are recorded. False for a filter that is not understood. */
bool mp_sched_sees_outs(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm);
bool mp_sched_sees_ins(const struct mp_sched_seen *s, int32_t tid, struct mp_str comm);

/* Whether the end of a state would be seen, so that the task is in this state until then. */
bool mp_sched_sees_end(const struct mp_sched_seen *s, enum mp_sched_state state, int32_t tid,
		       struct mp_str comm);

#endif
