/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots of a table in memory that outlives the process. A value there has a copy from the end of
 * the state before, so that another process can continue from the state that was saved last; a slot
 * is used again only when that state knows nothing of it. Includes base only.
 */
#ifndef MP_CAPTURE_HOST_SLOTS_H
#define MP_CAPTURE_HOST_SLOTS_H

#include "lib/core/base.h"

/* Slots that are not in use, the longest removed first. All zero: there are none. */
struct mp_slots {
	uint32_t *removed;
	size_t first, n, cap;
};

void mp_slots_release(struct mp_slots *s);

/* Adds a slot, which is not 0. */
void mp_slots_put(struct mp_slots *s, uint32_t slot);

/* The slot that was removed first, or 0: there is none. mp_slots_take() takes it away. */
uint32_t mp_slots_oldest(const struct mp_slots *s);
void mp_slots_take(struct mp_slots *s);

/*
 * Prepares a value for a change: copies `now` to `before`, unless `*state`, the number of the state
 * that `now` belongs to, is already `current`, which it becomes. The process may be killed anywhere.
 */
void mp_slots_change(uint64_t *state, uint64_t current, void *before, const void *now, size_t size);

#endif
