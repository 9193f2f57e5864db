// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/slots.h"

#include <stdlib.h>
#include <string.h>

void mp_slots_release(struct mp_slots *s)
{
	free(s->removed);
}

void mp_slots_put(struct mp_slots *s, uint32_t slot)
{
	if (s->first > s->n / 2) {
		s->n -= s->first;
		memmove(s->removed, s->removed + s->first, s->n * sizeof(*s->removed));
		s->first = 0;
	}
	s->removed = mp_grow(s->removed, &s->cap, s->n + 1, sizeof(*s->removed));
	s->removed[s->n++] = slot;
}

uint32_t mp_slots_oldest(const struct mp_slots *s)
{
	return s->first < s->n ? s->removed[s->first] : 0;
}

void mp_slots_take(struct mp_slots *s)
{
	s->first++;
}

void mp_slots_change(uint64_t *state, uint64_t current, void *before, const void *now, size_t size)
{
	if (*state == current)
		return;
	memcpy(before, now, size);
	__atomic_store_n(state, current, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
