/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of waiters by key, in order of age. Several may wait under one key. A removed waiter is
 * used again, so that a steady flow allocates no memory. Includes intmap, str.
 */
#ifndef MP_PAIR_WAITING_H
#define MP_PAIR_WAITING_H

#include "lib/core/intmap.h"
#include "lib/core/str.h"

/* A waiter; value_size bytes of the caller's follow it, zeroed when it is allocated. */
struct mp_waiter {
	struct mp_waiter *older, *newer; /* neighbours among all waiters */
	/* neighbours under the same key, in the order in which they were added */
	struct mp_waiter *before, *next;
	/* valid in the first waiter under a key: the last one under it */
	struct mp_waiter *last;
	uint64_t hash;
	char *key;
	uint32_t key_len, key_cap;
};

static inline void *mp_waiter_value(struct mp_waiter *w)
{
	return w + 1;
}

struct mp_waiting {
	struct mp_intmap by_key; /* hash of a key -> the first waiter under it */
	size_t n;
	/* memory of waiters; the caller adds and subtracts the memory of the values */
	size_t bytes;
	size_t value_size;
	struct mp_waiter *oldest, *newest;
	struct mp_waiter *spare; /* removed waiters, linked by `next` */
	void (*release)(struct mp_waiting *t, void *value);
};

/* `release` frees the memory of a value, when the table is released. */
void mp_waiting_init(struct mp_waiting *t, size_t value_size,
		     void (*release)(struct mp_waiting *t, void *value));
void mp_waiting_release(struct mp_waiting *t);

/* The first under a key (its `last` is the last one), or NULL. */
struct mp_waiter *mp_waiting_find(const struct mp_waiting *t, struct mp_str key);

/* Bytes in use, the table's included. */
size_t mp_waiting_bytes(const struct mp_waiting *t);

/* Adds a waiter under a key, the newest of all. Its value is as its last user left it. */
struct mp_waiter *mp_waiting_add(struct mp_waiting *t, struct mp_str key);

/* Moves a waiter to another key, as the last one there; its age does not change. */
void mp_waiting_move(struct mp_waiting *t, struct mp_waiter *w, struct mp_str key);

/* Removes a waiter. Its value is readable until the next mp_waiting_add(). */
void mp_waiting_remove(struct mp_waiting *t, struct mp_waiter *w);

/* Frees the memory of removed waiters. */
void mp_waiting_trim(struct mp_waiting *t);

#endif
