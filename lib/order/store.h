/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds lines that wait: in the blocks that they were read into, which are freed with their last
 * line; or packed: the call stack is replaced by a number, and each distinct stack is kept once.
 * Packing pays when a whole file has to wait, since time depends on memory then: stacks are two
 * thirds of a recording, and few are distinct. Includes map.
 */
#ifndef MP_ORDER_STORE_H
#define MP_ORDER_STORE_H

#include "lib/core/map.h"

enum {
	MP_BLOCK_SIZE = 1 << 20, /* size of a block: bytes that are read at once */
	MP_SLAB_SIZE = 16 << 20, /* size of a slab: memory for blocks that is allocated at once */
};

/* A line, with its LF: block, offset, length and whether it is packed, in one word. */
typedef uint64_t mp_line_ref;

struct mp_block {
	char *data;
	size_t cap;
	size_t refs; /* number of lines that wait in it; one more while it is being read into */
};

struct mp_store {
	struct mp_block *blocks;
	size_t n_blocks, cap_blocks;
	uint32_t *free_blocks;
	size_t n_free, cap_free;
	char **slabs;
	size_t n_slabs, cap_slabs, slab_used;
	size_t bytes; /* bytes of the blocks in use, and of stacks */

	uint32_t packed; /* the block to which packed lines are added */
	bool has_packed;
	size_t packed_used;
	uint64_t packed_in, packed_out; /* bytes before and after packing */
	struct mp_map stacks;		/* text -> number */
	struct mp_str *by_number;
	size_t cap_by_number;
	struct mp_buf scratch;
};

void mp_store_init(struct mp_store *s);
void mp_store_release(struct mp_store *s);

/*
 * A block to read into, of at least `size` bytes; the caller holds it until mp_store_drop_block().
 */
uint32_t mp_store_new_block(struct mp_store *s, size_t size);
void mp_store_drop_block(struct mp_store *s, uint32_t block);

static inline char *mp_store_data(const struct mp_store *s, uint32_t block)
{
	return s->blocks[block].data;
}

/* A line (with LF, at most 1 MiB) that stays in the block it was read into. */
mp_line_ref mp_store_hold(struct mp_store *s, uint32_t block, size_t offset, size_t len);

/* A packed copy of a line. */
mp_line_ref mp_store_pack(struct mp_store *s, struct mp_str line);

/* Whether packing has been worth its cost so far: it saves at least a quarter. */
bool mp_store_pays(const struct mp_store *s);

/* The text of a line with its LF, valid until the next call. */
struct mp_str mp_store_text(struct mp_store *s, mp_line_ref ref);

/* Prefetches a line that will be needed soon. */
void mp_store_prefetch(const struct mp_store *s, mp_line_ref ref);

/* Drops a line that is no longer needed. */
void mp_store_drop(struct mp_store *s, mp_line_ref ref);

#endif
