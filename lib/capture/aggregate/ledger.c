// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/ledger.h"

#include <stdlib.h>

#include "lib/capture/host/slots.h"

enum {
	SLOTS = 1 << 20, /* totals; the first MP_AGG_RULES are of what does not fit, by aggregate */
	ALIGNMENT = 8,
};

#define SLOT_FULL UINT32_MAX /* there was no room for the total */

struct entry {
	struct mp_agg_ledger_key key;
	uint64_t state;			 /* the number of the state that `now` belongs to */
	struct mp_agg_total before, now; /* `before`: at the end of the state before that one */
};

struct record {
	uint32_t type, len;
	char bytes[];
};

/* The beginning of the memory; the records follow. */
struct shared {
	uint32_t n; /* atomic: entries that were ever used */
	uint32_t unused;
	uint64_t used; /* atomic: bytes of the records */
	struct entry entries[SLOTS];
};

struct mp_agg_ledger {
	struct shared *shared;
	char *records;
	uint64_t used, max;
	bool full;	/* a record did not fit */
	bool restoring; /* so that no slot gets another key that is still to be restored */
	uint64_t state; /* number of the state that is being changed */
	uint32_t n;
	struct mp_slots removed; /* of totals that are 0 */
};

struct mp_agg_ledger *mp_agg_ledger_new(void *memory)
{
	struct mp_agg_ledger *l = mp_zalloc(sizeof(*l));

	l->shared = memory;
	l->records = (char *)(l->shared + 1);
	l->max = MP_AGG_LEDGER_BYTES - sizeof(*l->shared);
	l->used = MP_MIN(__atomic_load_n(&l->shared->used, __ATOMIC_ACQUIRE), l->max) &
		  ~(uint64_t)(ALIGNMENT - 1);
	l->n = __atomic_load_n(&l->shared->n, __ATOMIC_ACQUIRE);
	l->n = MP_MIN(MP_MAX(l->n, MP_AGG_RULES), (uint32_t)SLOTS);
	l->state = 1;
	return l;
}

void mp_agg_ledger_free(struct mp_agg_ledger *l)
{
	if (!l)
		return;
	mp_slots_release(&l->removed);
	free(l);
}

/* --- texts ------------------------------------------------------------------------------------ */

static uint64_t size_of(uint64_t len)
{
	return (sizeof(struct record) + len + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

void mp_agg_ledger_put(struct mp_agg_ledger *l, enum mp_agg_ledger_type type, struct mp_str record)
{
	struct record *r = (struct record *)(l->records + l->used);

	if (l->full || size_of(record.len) > l->max - l->used) {
		l->full = true;
		return;
	}
	r->type = type;
	r->len = (uint32_t)record.len;
	memcpy(r->bytes, record.p, record.len);
	l->used += size_of(record.len);
	__atomic_store_n(&l->shared->used, l->used, __ATOMIC_RELEASE);
}

void mp_agg_ledger_each(const struct mp_agg_ledger *l, mp_agg_ledger_fn *each, void *arg)
{
	uint64_t at = 0;

	while (l->used - at >= sizeof(struct record)) {
		const struct record *r = (const struct record *)(l->records + at);
		uint32_t type = r->type, len = r->len;

		if (size_of(len) > l->used - at)
			break;
		each(arg, (enum mp_agg_ledger_type)type, (struct mp_str){ r->bytes, len });
		at += size_of(len);
	}
}

/* --- totals ----------------------------------------------------------------------------------- */

/* Prepares an entry for a change. */
static void change(const struct mp_agg_ledger *l, struct entry *e)
{
	mp_slots_change(&e->state, l->state, &e->before, &e->now, sizeof(e->now));
}

static bool is_zero(const struct mp_agg_total *t)
{
	return !t->weight && !t->count;
}

/* An entry whose key may be overwritten; SLOT_FULL: there is none. */
static uint32_t free_slot(struct mp_agg_ledger *l)
{
	uint32_t slot = mp_slots_oldest(&l->removed);
	const struct entry *e = &l->shared->entries[slot];

	if (slot && !l->restoring && (e->state != l->state || is_zero(&e->before))) {
		mp_slots_take(&l->removed);
		return slot;
	}
	return l->n < SLOTS ? l->n : SLOT_FULL;
}

static uint32_t new_slot(struct mp_agg_ledger *l, const struct mp_agg_ledger_key *key)
{
	uint32_t slot = free_slot(l);

	if (slot == SLOT_FULL)
		return slot;
	l->shared->entries[slot].key = *key;
	if (slot == l->n)
		__atomic_store_n(&l->shared->n, ++l->n, __ATOMIC_RELEASE);
	return slot;
}

static struct entry *entry_of(const struct mp_agg_ledger *l, uint32_t slot, uint32_t aggregate)
{
	return &l->shared->entries[slot == SLOT_FULL ? aggregate % MP_AGG_RULES : slot];
}

void mp_agg_ledger_add(struct mp_agg_ledger *l, uint32_t *slot, const struct mp_agg_ledger_key *key,
		       const struct mp_agg_total *more)
{
	struct entry *e;

	if (!*slot)
		*slot = new_slot(l, key);
	e = entry_of(l, *slot, key->aggregate);
	change(l, e);
	e->now.weight += more->weight;
	e->now.count += more->count;
}

void mp_agg_ledger_remove(struct mp_agg_ledger *l, uint32_t slot, uint32_t aggregate,
			  const struct mp_agg_total *total)
{
	struct entry *e = entry_of(l, slot, aggregate);

	change(l, e);
	e->now.weight -= total->weight;
	e->now.count -= total->count;
	if (slot != SLOT_FULL)
		mp_slots_put(&l->removed, slot);
}

void mp_agg_ledger_saved(struct mp_agg_ledger *l, uint64_t number)
{
	l->state = number + 1;
}

/* Sets all totals to what they were when the state was saved. */
static void restore_values(struct mp_agg_ledger *l, uint64_t number)
{
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		struct entry *e = &l->shared->entries[i];

		if (e->state > number)
			e->now = e->before;
		if (is_zero(&e->now) && i >= MP_AGG_RULES)
			mp_slots_put(&l->removed, i);
	}
}

void mp_agg_ledger_restore(struct mp_agg_ledger *l, uint64_t number, mp_agg_ledger_total_fn *each,
			   void *arg)
{
	uint32_t n = l->n, i;

	l->state = number + 1;
	l->restoring = true;
	restore_values(l, number);
	for (i = MP_AGG_RULES; i < n; i++) {
		const struct entry *e = &l->shared->entries[i];
		struct mp_agg_ledger_key key = e->key;
		struct mp_agg_total total = e->now;

		if (!is_zero(&total))
			each(arg, i, &key, &total);
	}
	for (i = 0; i < MP_AGG_RULES; i++) {
		struct mp_agg_ledger_key key = { .aggregate = i };
		struct entry *e = &l->shared->entries[i];
		struct mp_agg_total total = e->now;

		change(l, e);
		e->now = (struct mp_agg_total){ .count = 0 };
		if (!is_zero(&total))
			each(arg, 0, &key, &total);
	}
	l->restoring = false;
}
