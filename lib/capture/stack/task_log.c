// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/task_log.h"

#include <stdlib.h>

#include "lib/capture/host/slots.h"

enum { SLOTS = 1 << 16 }; /* the first one is never used */

struct entry {
	uint64_t state;			   /* the number of the state that `now` belongs to */
	struct mp_task_logged before, now; /* `before`: at the end of the state before that one */
};

struct shared {
	uint32_t n; /* atomic: entries that were ever used */
	uint32_t unused;
	struct entry entries[SLOTS];
};

_Static_assert(sizeof(struct shared) <= MP_TASK_LOG_BYTES, "it is in this memory");

struct mp_task_log {
	struct shared *shared;
	uint64_t state; /* number of the state that is being changed */
	uint32_t n;
	struct mp_slots removed;
};

struct mp_task_log *mp_task_log_new(void *memory)
{
	struct mp_task_log *l = mp_zalloc(sizeof(*l));

	l->shared = memory;
	l->n = __atomic_load_n(&l->shared->n, __ATOMIC_ACQUIRE);
	l->n = MP_MIN(MP_MAX(l->n, 1u), (uint32_t)SLOTS);
	l->state = 1;
	return l;
}

void mp_task_log_free(struct mp_task_log *l)
{
	if (!l)
		return;
	mp_slots_release(&l->removed);
	free(l);
}

/* Prepares an entry for a change. */
static struct mp_task_logged *change(const struct mp_task_log *l, uint32_t slot)
{
	struct entry *e = &l->shared->entries[slot];

	mp_slots_change(&e->state, l->state, &e->before, &e->now, sizeof(e->now));
	return &e->now;
}

/* An unused entry, of which the state that was saved last knows nothing; 0: there is none. */
static uint32_t new_slot(struct mp_task_log *l)
{
	uint32_t slot = mp_slots_oldest(&l->removed);
	const struct entry *e = &l->shared->entries[slot];

	if (slot && (e->state != l->state || !e->before.is)) {
		mp_slots_take(&l->removed);
		return slot;
	}
	if (l->n == SLOTS)
		return 0;
	__atomic_store_n(&l->shared->n, l->n + 1, __ATOMIC_RELEASE);
	return l->n++;
}

void mp_task_log_put(struct mp_task_log *l, uint32_t *slot, const struct mp_task_logged *task)
{
	struct mp_task_logged *to;

	if (!*slot)
		*slot = new_slot(l);
	if (!*slot)
		return;
	to = change(l, *slot);
	*to = *task;
	to->is = true;
}

void mp_task_log_remove(struct mp_task_log *l, uint32_t slot)
{
	if (!slot)
		return;
	change(l, slot)->is = false;
	mp_slots_put(&l->removed, slot);
}

void mp_task_log_saved(struct mp_task_log *l, uint64_t number)
{
	l->state = number + 1;
}

void mp_task_log_restore(struct mp_task_log *l, uint64_t number)
{
	uint32_t i;

	l->state = number + 1;
	for (i = 1; i < l->n; i++) {
		struct entry *e = &l->shared->entries[i];

		if (e->state > number)
			e->now = e->before;
		if (!e->now.is)
			mp_slots_put(&l->removed, i);
	}
}

void mp_task_log_each(const struct mp_task_log *l, mp_task_log_fn *each, void *arg)
{
	uint32_t i;

	for (i = 1; i < l->n; i++) {
		struct mp_task_logged task = l->shared->entries[i].now;

		task.comm_len = MP_MIN(task.comm_len, (uint16_t)sizeof(task.comm));
		if (task.is)
			each(arg, i, &task);
	}
}
