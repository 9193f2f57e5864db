// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/waiting.h"

#include <stdlib.h>

#include "lib/core/map.h"

enum { SLOTS_MIN = 1024 };

struct mp_waiting_slot {
	uint64_t hash;
	struct mp_waiter *first; /* NULL: free */
};

void mp_waiting_init(struct mp_waiting *t, size_t value_size,
		     void (*release)(struct mp_waiting *t, void *value))
{
	*t = (struct mp_waiting){ .mask = SLOTS_MIN - 1,
				  .value_size = value_size,
				  .release = release };
	t->slots = mp_zalloc(SLOTS_MIN * sizeof(*t->slots));
	t->bytes = SLOTS_MIN * sizeof(*t->slots);
}

static void free_list(struct mp_waiting *t, struct mp_waiter *w, bool by_age)
{
	struct mp_waiter *next;

	for (; w; w = next) {
		next = by_age ? w->newer : w->next;
		t->release(t, mp_waiter_value(w));
		t->bytes -= sizeof(*w) + t->value_size + w->key_cap;
		free(w->key);
		free(w);
	}
}

void mp_waiting_trim(struct mp_waiting *t)
{
	free_list(t, t->spare, false);
	t->spare = NULL;
}

void mp_waiting_release(struct mp_waiting *t)
{
	mp_waiting_trim(t);
	free_list(t, t->oldest, true);
	free(t->slots);
	*t = (struct mp_waiting){ .slots = NULL };
}

static struct mp_waiting_slot *lookup(const struct mp_waiting *t, struct mp_str key, uint64_t hash)
{
	struct mp_waiting_slot *slot;
	size_t i;

	for (i = hash & t->mask;; i = (i + 1) & t->mask) {
		slot = &t->slots[i];
		if (!slot->first)
			return slot;
		if (slot->hash == hash && slot->first->key_len == key.len &&
		    memcmp(slot->first->key, key.p, key.len) == 0)
			return slot;
	}
}

struct mp_waiter *mp_waiting_find(const struct mp_waiting *t, struct mp_str key)
{
	return lookup(t, key, mp_hash(key.p, key.len, 0))->first;
}

static void grow(struct mp_waiting *t)
{
	size_t mask = t->mask * 2 + 1, i, k;
	struct mp_waiting_slot *slots = mp_zalloc((mask + 1) * sizeof(*slots));

	for (i = 0; i <= t->mask; i++) {
		if (!t->slots[i].first)
			continue;
		for (k = t->slots[i].hash & mask; slots[k].first; k = (k + 1) & mask)
			;
		slots[k] = t->slots[i];
	}
	t->bytes += (mask - t->mask) * sizeof(*slots);
	free(t->slots);
	t->slots = slots;
	t->mask = mask;
}

/* Behind those that wait under the key it has. */
static void enter(struct mp_waiting *t, struct mp_waiter *w)
{
	struct mp_str key = { w->key, w->key_len };
	struct mp_waiting_slot *slot;

	if (t->keys * 2 > t->mask)
		grow(t);
	slot = lookup(t, key, w->hash);
	w->next = NULL;
	if (slot->first) {
		w->before = slot->first->last;
		w->before->next = w;
		slot->first->last = w;
		return;
	}
	*slot = (struct mp_waiting_slot){ w->hash, w };
	w->before = NULL;
	w->last = w;
	t->keys++;
}

/* Fills the hole that a removed slot leaves with what was displaced by it. */
static void close_hole(struct mp_waiting *t, size_t hole)
{
	size_t i = hole;

	t->keys--;
	for (;;) {
		i = (i + 1) & t->mask;
		if (!t->slots[i].first)
			break;
		if (((i - t->slots[i].hash) & t->mask) < ((i - hole) & t->mask))
			continue; /* its home is behind the hole */
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].first = NULL;
}

static void leave(struct mp_waiting *t, struct mp_waiter *w)
{
	struct mp_waiting_slot *slot;

	if (w->before) {
		w->before->next = w->next;
		if (w->next) {
			w->next->before = w->before;
			return;
		}
		slot = lookup(t, (struct mp_str){ w->key, w->key_len }, w->hash);
		slot->first->last = w->before;
		return;
	}
	slot = lookup(t, (struct mp_str){ w->key, w->key_len }, w->hash);
	if (!w->next) {
		close_hole(t, slot - t->slots);
		return;
	}
	w->next->before = NULL;
	w->next->last = w->last;
	slot->first = w->next;
}

static void set_key(struct mp_waiting *t, struct mp_waiter *w, struct mp_str key)
{
	if (w->key_cap < key.len || !w->key) {
		t->bytes -= w->key_cap;
		w->key_cap = (key.len + 32) & ~31u;
		w->key = mp_realloc(w->key, w->key_cap);
		t->bytes += w->key_cap;
	}
	memcpy(w->key, key.p, key.len);
	w->key_len = key.len;
	w->hash = mp_hash(key.p, key.len, 0);
}

struct mp_waiter *mp_waiting_add(struct mp_waiting *t, struct mp_str key)
{
	struct mp_waiter *w = t->spare;

	if (w) {
		t->spare = w->next;
	} else {
		w = mp_zalloc(sizeof(*w) + t->value_size);
		t->bytes += sizeof(*w) + t->value_size;
	}
	set_key(t, w, key);
	enter(t, w);
	w->newer = NULL;
	w->older = t->newest;
	if (t->newest)
		t->newest->newer = w;
	else
		t->oldest = w;
	t->newest = w;
	t->n++;
	return w;
}

void mp_waiting_move(struct mp_waiting *t, struct mp_waiter *w, struct mp_str key)
{
	leave(t, w);
	set_key(t, w, key);
	enter(t, w);
}

void mp_waiting_remove(struct mp_waiting *t, struct mp_waiter *w)
{
	leave(t, w);
	if (w->older)
		w->older->newer = w->newer;
	else
		t->oldest = w->newer;
	if (w->newer)
		w->newer->older = w->older;
	else
		t->newest = w->older;
	w->next = t->spare;
	t->spare = w;
	t->n--;
}
