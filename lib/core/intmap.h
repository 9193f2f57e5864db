/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table from integers to integers: the key is an id, or a hash of something longer, and the
 * value is an index, a pointer or some packed bits, but never 0. An entry takes 16 bytes, four to a
 * cache line. Open addressing with linear probing, at most half full; a removal shifts entries back
 * (Knuth, The Art of Computer Programming 3, 6.4, algorithm R), so that there are no tombstones.
 * The order of the entries depends on mp_hash_seed(): no output may follow it. Includes base only.
 */
#ifndef MP_CORE_INTMAP_H
#define MP_CORE_INTMAP_H

#include "lib/core/base.h"

struct mp_intmap_entry {
	uint64_t key;
	uint64_t value; /* 0: this is a free slot, not an entry */
};

struct mp_intmap {
	struct mp_intmap_entry *slots;
	size_t mask;
	unsigned shift;
	size_t n; /* number of entries */
	uint64_t seed;
};

void mp_intmap_init(struct mp_intmap *m);
void mp_intmap_release(struct mp_intmap *m);

/* Removes all entries, in time that is in proportion to those that were added. */
void mp_intmap_clear(struct mp_intmap *m);

/*
 * The slot where the search for a key begins: the upper bits of a product of the key, which are
 * distributed best. The seed changes the sign of what each bit of a key adds to the product, so
 * that nobody can choose keys whose slots are close together.
 */
static inline size_t mp_intmap_home(const struct mp_intmap *m, uint64_t key)
{
	return (key ^ m->seed) * 0x9e3779b97f4a7c15u >> m->shift;
}

/* The first entry with this key, from slot `i` on, or a free slot. Only this header uses it. */
static inline struct mp_intmap_entry *mp_intmap_probe(const struct mp_intmap *m, uint64_t key,
						      size_t i)
{
	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

/*
 * The entry of a key, or a free slot, whose value is 0. The caller may change the value, to one
 * that is not 0. The pointer is valid until an entry is added or removed.
 */
static inline struct mp_intmap_entry *mp_intmap_find(const struct mp_intmap *m, uint64_t key)
{
	return mp_intmap_probe(m, key, mp_intmap_home(m, key));
}

/* The value of a key, or 0. */
static inline uint64_t mp_intmap_get(const struct mp_intmap *m, uint64_t key)
{
	return mp_intmap_find(m, key)->value;
}

/* For values that are pointers: the value of a key, or NULL. */
static inline void *mp_intmap_pointer(const struct mp_intmap *m, uint64_t key)
{
	return (void *)(uintptr_t)mp_intmap_get(m, key);
}

/*
 * After mp_intmap_find() with a key that is a hash: the next entry with the same hash, which
 * belongs to something else, or a free slot.
 */
static inline struct mp_intmap_entry *mp_intmap_next(const struct mp_intmap *m,
						     const struct mp_intmap_entry *e)
{
	return mp_intmap_probe(m, e->key, (size_t)(e - m->slots + 1) & m->mask);
}

/* Adds an entry even if the key has one already: the caller has checked. `value` is not 0. */
void mp_intmap_add(struct mp_intmap *m, uint64_t key, uint64_t value);

static inline void mp_intmap_add_pointer(struct mp_intmap *m, uint64_t key, void *value)
{
	mp_intmap_add(m, key, (uintptr_t)value);
}

/* Removes an entry. Its slot is free after that, or has another entry, which moved there. */
void mp_intmap_remove(struct mp_intmap *m, struct mp_intmap_entry *e);

/* Bytes in use, for callers that limit their memory. */
static inline size_t mp_intmap_bytes(const struct mp_intmap *m)
{
	return (m->mask + 1) * sizeof(*m->slots);
}

/*
 * Iterates over all entries; a zeroed table has none. After removing the current entry, a loop must
 * look at the same slot again, since another entry may have moved there; it may see an entry twice.
 */
#define mp_intmap_each(m, e)                                                       \
	for ((e) = (m)->slots; (m)->slots && (e) <= (m)->slots + (m)->mask; (e)++) \
		if ((e)->value)

#endif
