// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/waiting.h"

#include <stdlib.h>

#include "lib/core/map.h"

void mp_waiting_init(struct mp_waiting *t, size_t value_size,
		     void (*release)(struct mp_waiting *t, void *value))
{
	*t = (struct mp_waiting){ .value_size = value_size, .release = release };
	mp_intmap_init(&t->by_key);
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
	mp_intmap_release(&t->by_key);
	*t = (struct mp_waiting){ .oldest = NULL };
}

static struct mp_waiter *waiter_of(const struct mp_intmap_entry *e)
{
	return (struct mp_waiter *)(uintptr_t)e->value;
}

static struct mp_intmap_entry *lookup(const struct mp_waiting *t, struct mp_str key, uint64_t hash)
{
	struct mp_intmap_entry *e = mp_intmap_find(&t->by_key, hash);

	while (e->value && !(waiter_of(e)->key_len == key.len &&
			     memcmp(waiter_of(e)->key, key.p, key.len) == 0))
		e = mp_intmap_next(&t->by_key, e);
	return e;
}

static uint64_t hash_of(struct mp_str key)
{
	return mp_hash(key.p, key.len, mp_hash_seed());
}

struct mp_waiter *mp_waiting_find(const struct mp_waiting *t, struct mp_str key)
{
	return waiter_of(lookup(t, key, hash_of(key)));
}

size_t mp_waiting_bytes(const struct mp_waiting *t)
{
	return t->bytes + mp_intmap_bytes(&t->by_key);
}

/* Makes a waiter the last one under its key. */
static void enter(struct mp_waiting *t, struct mp_waiter *w)
{
	struct mp_waiter *first =
		waiter_of(lookup(t, (struct mp_str){ w->key, w->key_len }, w->hash));

	w->next = NULL;
	w->before = first ? first->last : NULL;
	if (first) {
		w->before->next = w;
		first->last = w;
		return;
	}
	w->last = w;
	mp_intmap_add_pointer(&t->by_key, w->hash, w);
}

static void leave(struct mp_waiting *t, struct mp_waiter *w)
{
	struct mp_intmap_entry *e;

	if (w->before && w->next) {
		w->before->next = w->next;
		w->next->before = w->before;
		return;
	}
	e = lookup(t, (struct mp_str){ w->key, w->key_len }, w->hash);
	if (w->before) {
		w->before->next = NULL;
		waiter_of(e)->last = w->before;
	} else if (w->next) {
		w->next->before = NULL;
		w->next->last = w->last;
		e->value = (uintptr_t)w->next;
	} else {
		mp_intmap_remove(&t->by_key, e);
	}
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
	w->hash = hash_of(key);
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
