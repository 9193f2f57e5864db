/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arenas, whose memory is freed all at once, and a hash map from byte strings to values of one
 * size. Iteration is in order of insertion, so nothing depends on the hash (XXH3,
 * https://xxhash.com, with mp_hash_seed()). Includes str only.
 */
#ifndef MP_CORE_MAP_H
#define MP_CORE_MAP_H

#include "lib/core/str.h"

/* Zeroed memory is a valid empty arena. */
struct mp_arena {
	struct mp_arena_block *head;
	size_t left;  /* bytes left in the head block */
	size_t total; /* bytes allocated from the system */
};

/* Aligned to 8 bytes, valid until the arena is released; not zeroed. */
void *mp_arena_alloc(struct mp_arena *a, size_t size);
struct mp_str mp_arena_str(struct mp_arena *a, struct mp_str s);
void mp_arena_release(struct mp_arena *a);

struct mp_map_entry {
	struct mp_map_entry *next; /* the entry that was inserted after this one */
	struct mp_str key;	   /* the parts, joined by TABs */
};

/* The value of an entry: value_size bytes, zeroed when new. */
static inline void *mp_map_value(const struct mp_map_entry *e)
{
	return (void *)(e + 1);
}

struct mp_map {
	struct mp_map_slot *slots;
	size_t n;
	size_t mask;
	size_t value_size;
	uint64_t seed;
	struct mp_map_entry *first, **last;
	struct mp_arena arena;
};

void mp_map_init(struct mp_map *m, size_t value_size);
void mp_map_release(struct mp_map *m);

/* Forgets all entries, in time that is in proportion to those that were inserted. */
void mp_map_clear(struct mp_map *m);

/*
 * The entry of a key, created if necessary; its address stays valid until the map is cleared. The
 * key is given in parts, which hold no TAB, so that a caller need not join them first. `*fresh` may
 * be NULL.
 */
struct mp_map_entry *mp_map_put(struct mp_map *m, const struct mp_str *parts, size_t n_parts,
				bool *fresh);
struct mp_map_entry *mp_map_find(const struct mp_map *m, const struct mp_str *parts,
				 size_t n_parts);

/* Bytes in use, for callers that limit their memory. */
size_t mp_map_bytes(const struct mp_map *m);

#define mp_map_each(m, e) for ((e) = (m)->first; (e); (e) = (e)->next)

/*
 * XXH3 of some bytes; `seed` is the hash of the bytes before them; for the first bytes it is
 * mp_hash_seed(), or 0 where an output depends on the hash.
 */
uint64_t mp_hash(const void *data, size_t len, uint64_t seed);

#endif
