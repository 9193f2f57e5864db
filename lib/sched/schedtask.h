/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of the scheduler's state machine: made, found by their id, forgotten. For sched.c alone.
 */
#ifndef MP_SCHED_SCHEDTASK_H
#define MP_SCHED_SCHEDTASK_H

#include "lib/sched/sched.h"

void mp_sched_tasks_init(struct mp_sched *s);
void mp_sched_tasks_release(struct mp_sched *s);

/* NULL if there is none. */
struct mp_sched_task *mp_sched_task_find(const struct mp_sched *s, int32_t tid);

/* There is none of this id. Its name, process and priority are not known. */
struct mp_sched_task *mp_sched_task_new(struct mp_sched *s, int32_t tid);
void mp_sched_task_free(struct mp_sched *s, struct mp_sched_task *t);

/* What an event says of it, if it does. */
void mp_sched_task_name(struct mp_sched_task *t, struct mp_str comm, int32_t prio);
void mp_sched_task_woken(struct mp_sched_task *t, int32_t tid, struct mp_str comm);

#endif
