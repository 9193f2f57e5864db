// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedtask.h"

#include <stdlib.h>

void mp_sched_tasks_init(struct mp_sched_tasks *all)
{
	mp_intmap_init(&all->by_tid);
}

void mp_sched_tasks_release(struct mp_sched_tasks *all)
{
	while (all->first)
		mp_sched_task_free(all, all->first);
	mp_intmap_release(&all->by_tid);
}

struct mp_sched_task *mp_sched_task_find(const struct mp_sched_tasks *all, int32_t tid)
{
	return mp_intmap_pointer(&all->by_tid, (uint32_t)tid);
}

struct mp_sched_task *mp_sched_task_new(struct mp_sched_tasks *all, int32_t tid)
{
	struct mp_sched_task *t = mp_zalloc(sizeof(*t));

	t->tid = tid;
	t->pid = t->cpu = t->last_cpu = t->waker.tid = -1;
	t->prio = MP_SCHED_NO_PRIO;
	t->prev = all->last;
	*(all->last ? &all->last->next : &all->first) = t;
	all->last = t;
	mp_intmap_add_pointer(&all->by_tid, (uint32_t)tid, t);
	return t;
}

void mp_sched_task_free(struct mp_sched_tasks *all, struct mp_sched_task *t)
{
	mp_intmap_remove(&all->by_tid, mp_intmap_find(&all->by_tid, (uint32_t)t->tid));
	*(t->prev ? &t->prev->next : &all->first) = t->next;
	*(t->next ? &t->next->prev : &all->last) = t->prev;
	mp_buf_release(&t->comm);
	mp_buf_release(&t->stack);
	mp_buf_release(&t->waker.comm);
	free(t);
}

static void set_comm(struct mp_buf *b, bool *has, struct mp_str comm)
{
	*has = true;
	if (b->p && b->len == comm.len && memcmp(b->p, comm.p, comm.len) == 0)
		return;
	b->len = 0;
	mp_buf_str(b, comm);
}

void mp_sched_task_name(struct mp_sched_task *t, struct mp_str comm, int32_t prio)
{
	if (comm.p)
		set_comm(&t->comm, &t->has_comm, comm);
	if (prio != MP_SCHED_NO_PRIO)
		t->prio = prio;
}

void mp_sched_task_woken(struct mp_sched_task *t, int32_t tid, int32_t cpu, struct mp_str comm)
{
	t->waker.tid = tid;
	t->waker.cpu = cpu;
	t->waker.has_comm = false;
	if (comm.p)
		set_comm(&t->waker.comm, &t->waker.has_comm, comm);
}
