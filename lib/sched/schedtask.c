// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedtask.h"

#include <stdlib.h>

enum { SLOTS_MIN = 1024 };

static size_t slot_of(const struct mp_sched *s, int32_t tid)
{
	return ((uint32_t)tid * 2654435769u >> 7) & s->mask; /* Knuth's multiplicative hash */
}

void mp_sched_tasks_init(struct mp_sched *s)
{
	s->mask = SLOTS_MIN - 1;
	s->slots = mp_zalloc(SLOTS_MIN * sizeof(*s->slots));
}

void mp_sched_tasks_release(struct mp_sched *s)
{
	while (s->first)
		mp_sched_task_free(s, s->first);
	free(s->slots);
}

static size_t lookup(const struct mp_sched *s, int32_t tid)
{
	size_t i = slot_of(s, tid);

	while (s->slots[i] && s->slots[i]->tid != tid)
		i = (i + 1) & s->mask;
	return i;
}

struct mp_sched_task *mp_sched_task_find(const struct mp_sched *s, int32_t tid)
{
	return s->slots[lookup(s, tid)];
}

static void grow(struct mp_sched *s)
{
	struct mp_sched_task *t;

	s->mask = s->mask * 2 + 1;
	free(s->slots);
	s->slots = mp_zalloc((s->mask + 1) * sizeof(*s->slots));
	for (t = s->first; t; t = t->next)
		s->slots[lookup(s, t->tid)] = t;
}

struct mp_sched_task *mp_sched_task_new(struct mp_sched *s, int32_t tid)
{
	struct mp_sched_task *t = mp_zalloc(sizeof(*t));

	if (s->n_tasks * 2 > s->mask)
		grow(s);
	t->tid = tid;
	t->pid = t->cpu = t->last_cpu = t->waker.tid = -1;
	t->prio = MP_SCHED_NO_PRIO;
	t->prev = s->last;
	*(s->last ? &s->last->next : &s->first) = t;
	s->last = t;
	s->slots[lookup(s, tid)] = t;
	s->n_tasks++;
	return t;
}

/* Closes the gap, so that a search need not step over graves (Knuth, vol. 3, 6.4, algorithm R). */
static void remove_slot(struct mp_sched *s, size_t gap)
{
	size_t i = gap;

	for (;;) {
		s->slots[gap] = NULL;
		do {
			i = (i + 1) & s->mask;
			if (!s->slots[i])
				return;
		} while (((i - slot_of(s, s->slots[i]->tid)) & s->mask) < ((i - gap) & s->mask));
		s->slots[gap] = s->slots[i];
		gap = i;
	}
}

void mp_sched_task_free(struct mp_sched *s, struct mp_sched_task *t)
{
	remove_slot(s, lookup(s, t->tid));
	s->n_tasks--;
	*(t->prev ? &t->prev->next : &s->first) = t->next;
	*(t->next ? &t->next->prev : &s->last) = t->prev;
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

void mp_sched_task_woken(struct mp_sched_task *t, int32_t tid, struct mp_str comm)
{
	t->waker.tid = tid;
	t->waker.has_comm = false;
	if (comm.p)
		set_comm(&t->waker.comm, &t->waker.has_comm, comm);
}
