// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/task_log.h"

#include <stdlib.h>
#include <string.h>

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
	uint32_t *removed; /* slots that are not in use, the longest removed first */
	size_t first, n_removed, cap_removed;
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
	free(l->removed);
	free(l);
}

/* Prepares an entry for a change: until the state is saved, its value before counts. */
static struct mp_task_logged *change(const struct mp_task_log *l, uint32_t slot)
{
	struct entry *e = &l->shared->entries[slot];

	if (e->state != l->state) {
		e->before = e->now;
		__atomic_store_n(&e->state, l->state, __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
	return &e->now;
}

/* An unused entry, of which the state that was saved last knows nothing; 0: there is none. */
static uint32_t new_slot(struct mp_task_log *l)
{
	if (l->first < l->n_removed) {
		uint32_t slot = l->removed[l->first];
		const struct entry *e = &l->shared->entries[slot];

		if (e->state != l->state || !e->before.is) {
			l->first++;
			return slot;
		}
	}
	if (l->n == SLOTS)
		return 0;
	__atomic_store_n(&l->shared->n, l->n + 1, __ATOMIC_RELEASE);
	return l->n++;
}

static void note_removed(struct mp_task_log *l, uint32_t slot)
{
	if (l->first > l->n_removed / 2) {
		l->n_removed -= l->first;
		memmove(l->removed, l->removed + l->first, l->n_removed * sizeof(*l->removed));
		l->first = 0;
	}
	l->removed = mp_grow(l->removed, &l->cap_removed, l->n_removed + 1, sizeof(*l->removed));
	l->removed[l->n_removed++] = slot;
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
	note_removed(l, slot);
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
			note_removed(l, i);
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
