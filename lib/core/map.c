// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/map.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { BLOCK_MIN = 64 << 10, BLOCK_MAX = 4 << 20, SLOTS_MIN = 1024, SLOTS_BIG = 4 << 20 };

struct mp_arena_block {
	struct mp_arena_block *next;
	size_t size;
	char data[];
};

struct mp_map_slot {
	uint64_t hash;
	struct mp_map_entry *entry; /* NULL: the slot is free */
};

void *mp_arena_alloc(struct mp_arena *a, size_t size)
{
	struct mp_arena_block *b;
	size_t room;

	size = (MP_MAX(size, (size_t)1) + 7) & ~(size_t)7;
	if (size > a->left) {
		room = a->head ? MP_MIN(a->head->size * 2, (size_t)BLOCK_MAX - sizeof(*b))
			       : BLOCK_MIN;
		room = MP_MAX(room, size);
		b = sizeof(*b) + room == BLOCK_MAX ? mp_big_alloc(BLOCK_MAX)
						   : mp_alloc(sizeof(*b) + room);
		b->next = a->head;
		b->size = room;
		a->head = b;
		a->left = room;
		a->total += sizeof(*b) + room;
	}
	a->left -= size;
	return a->head->data + a->head->size - a->left - size;
}

struct mp_str mp_arena_str(struct mp_arena *a, struct mp_str s)
{
	char *p = mp_arena_alloc(a, s.len + 1);

	if (s.len)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return (struct mp_str){ p, s.len };
}

void mp_arena_release(struct mp_arena *a)
{
	struct mp_arena_block *b, *next;

	for (b = a->head; b; b = next) {
		next = b->next;
		if (sizeof(*b) + b->size == BLOCK_MAX)
			mp_big_free(b, BLOCK_MAX);
		else
			free(b);
	}
	*a = (struct mp_arena){ NULL, 0, 0 };
}

uint64_t mp_hash(const void *data, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, len, seed);
}

/* A large table is in huge pages, since most look-ups in small ones miss the TLB. */
static struct mp_map_slot *alloc_slots(size_t n)
{
	size_t size = n * sizeof(struct mp_map_slot);

	return size < SLOTS_BIG ? mp_zalloc(size) : mp_big_alloc(size);
}

static void free_slots(struct mp_map_slot *slots, size_t n)
{
	size_t size = n * sizeof(struct mp_map_slot);

	if (size < SLOTS_BIG)
		free(slots);
	else
		mp_big_free(slots, size);
}

void mp_map_init(struct mp_map *m, size_t value_size)
{
	*m = (struct mp_map){ .mask = SLOTS_MIN - 1,
			      .value_size = value_size,
			      .seed = mp_hash_seed() };
	m->slots = alloc_slots(SLOTS_MIN);
	m->last = &m->first;
}

void mp_map_release(struct mp_map *m)
{
	if (m->slots)
		free_slots(m->slots, m->mask + 1);
	mp_arena_release(&m->arena);
	*m = (struct mp_map){ .slots = NULL };
}

void mp_map_clear(struct mp_map *m)
{
	size_t slots = m->mask + 1;

	/* clearing slots that a former use had needed would take more time than this one */
	while (slots > SLOTS_MIN && slots / 8 > m->n)
		slots /= 2;
	if (slots <= m->mask) {
		free_slots(m->slots, m->mask + 1);
		m->slots = alloc_slots(slots);
		m->mask = slots - 1;
	} else {
		memset(m->slots, 0, slots * sizeof(*m->slots));
	}
	mp_arena_release(&m->arena);
	m->n = 0;
	m->first = NULL;
	m->last = &m->first;
}

size_t mp_map_bytes(const struct mp_map *m)
{
	return m->arena.total + (m->mask + 1) * sizeof(*m->slots);
}

static uint64_t hash_parts(const struct mp_map *m, const struct mp_str *parts, size_t n)
{
	uint64_t h = m->seed;
	size_t i;

	for (i = 0; i < n; i++)
		h = mp_hash(parts[i].p, parts[i].len, h);
	return h;
}

static bool same(const struct mp_map_entry *e, const struct mp_str *parts, size_t n)
{
	const char *p = e->key.p;
	size_t left = e->key.len, i;

	for (i = 0; i < n; i++) {
		if (i) {
			if (left == 0 || *p != '\t')
				return false;
			p++;
			left--;
		}
		if (parts[i].len > left || memcmp(p, parts[i].p, parts[i].len) != 0)
			return false;
		p += parts[i].len;
		left -= parts[i].len;
	}
	return left == 0;
}

static void grow(struct mp_map *m)
{
	size_t old_mask = m->mask, mask = old_mask * 2 + 1, i, j;
	struct mp_map_slot *old = m->slots;

	m->slots = alloc_slots(mask + 1);
	m->mask = mask;
	for (j = 0; j <= old_mask; j++) {
		if (!old[j].entry)
			continue;
		for (i = old[j].hash & mask; m->slots[i].entry; i = (i + 1) & mask)
			;
		m->slots[i] = old[j];
	}
	free_slots(old, old_mask + 1);
}

static struct mp_map_entry *add(struct mp_map *m, const struct mp_str *parts, size_t n)
{
	size_t value = (m->value_size + 7) & ~(size_t)7, len = n ? n - 1 : 0, i;
	struct mp_map_entry *e;
	char *p;

	for (i = 0; i < n; i++)
		len += parts[i].len;
	e = mp_arena_alloc(&m->arena, sizeof(*e) + value + len + 1);
	memset(mp_map_value(e), 0, value);
	p = (char *)mp_map_value(e) + value;
	*e = (struct mp_map_entry){ NULL, { p, len } };
	for (i = 0; i < n; i++) {
		if (i)
			*p++ = '\t';
		if (parts[i].len)
			memcpy(p, parts[i].p, parts[i].len);
		p += parts[i].len;
	}
	*p = '\0';
	*m->last = e;
	m->last = &e->next;
	m->n++;
	return e;
}

static struct mp_map_slot *lookup(const struct mp_map *m, const struct mp_str *parts, size_t n,
				  uint64_t hash)
{
	size_t i;

	for (i = hash & m->mask; m->slots[i].entry; i = (i + 1) & m->mask)
		if (m->slots[i].hash == hash && same(m->slots[i].entry, parts, n))
			break;
	return &m->slots[i];
}

struct mp_map_entry *mp_map_find(const struct mp_map *m, const struct mp_str *parts, size_t n_parts)
{
	return lookup(m, parts, n_parts, hash_parts(m, parts, n_parts))->entry;
}

struct mp_map_entry *mp_map_put(struct mp_map *m, const struct mp_str *parts, size_t n_parts,
				bool *fresh)
{
	uint64_t hash = hash_parts(m, parts, n_parts);
	struct mp_map_slot *slot = lookup(m, parts, n_parts, hash);

	if (fresh)
		*fresh = !slot->entry;
	if (slot->entry)
		return slot->entry;
	if (m->n * 2 > m->mask) {
		grow(m);
		slot = lookup(m, parts, n_parts, hash);
	}
	*slot = (struct mp_map_slot){ hash, add(m, parts, n_parts) };
	return slot->entry;
}
