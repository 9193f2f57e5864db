// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/store.h"

#include <stdlib.h>

enum {
	LEN_BITS = 20, /* bits for the length less 1 */
	OFFSET_BITS = 21,
	BLOCK_SHIFT = LEN_BITS + OFFSET_BITS,
	STACKS_MAX_BYTES = 64 << 20,
	TRIAL_BYTES = 1 << 20, /* this many bytes are packed before mp_store_pays() judges */
};

#define PACKED ((uint64_t)1 << 63)

static const struct mp_str stack_field = { "\tstack=", 7 };

static mp_line_ref make_ref(uint32_t block, size_t offset, size_t len)
{
	return (uint64_t)block << BLOCK_SHIFT | (uint64_t)offset << LEN_BITS | (len - 1);
}

static uint32_t block_of(mp_line_ref ref)
{
	return (uint32_t)((ref & ~PACKED) >> BLOCK_SHIFT);
}

static const char *start_of(const struct mp_store *s, mp_line_ref ref)
{
	return mp_store_data(s, block_of(ref)) +
	       (ref >> LEN_BITS & (((uint64_t)1 << OFFSET_BITS) - 1));
}

static size_t len_of(mp_line_ref ref)
{
	return (ref & (((uint64_t)1 << LEN_BITS) - 1)) + 1;
}

void mp_store_init(struct mp_store *s)
{
	*s = (struct mp_store){ .blocks = NULL };
	mp_map_init(&s->stacks, sizeof(uint32_t));
}

void mp_store_release(struct mp_store *s)
{
	size_t i;

	for (i = 0; i < s->n_blocks; i++)
		if (s->blocks[i].cap > MP_BLOCK_SIZE)
			free(s->blocks[i].data);
	for (i = 0; i < s->n_slabs; i++)
		mp_big_free(s->slabs[i], MP_SLAB_SIZE);
	free(s->slabs);
	free(s->blocks);
	free(s->free_blocks);
	free(s->by_number);
	mp_map_release(&s->stacks);
	mp_buf_release(&s->scratch);
}

/* Allocates a block: from a slab, or separately for a long line. */
static char *block_data(struct mp_store *s, size_t size)
{
	char *data;

	if (size > MP_BLOCK_SIZE)
		return mp_alloc(size);
	if (s->n_slabs == 0 || MP_SLAB_SIZE - s->slab_used < size) {
		s->slabs = mp_grow(s->slabs, &s->cap_slabs, s->n_slabs + 1, sizeof(*s->slabs));
		s->slabs[s->n_slabs++] = mp_big_alloc(MP_SLAB_SIZE);
		s->slab_used = 0;
	}
	data = s->slabs[s->n_slabs - 1] + s->slab_used;
	s->slab_used += size;
	return data;
}

uint32_t mp_store_new_block(struct mp_store *s, size_t size)
{
	struct mp_block *b;
	uint32_t i;

	if (s->n_free) {
		i = s->free_blocks[--s->n_free];
	} else {
		s->blocks = mp_grow(s->blocks, &s->cap_blocks, s->n_blocks + 1, sizeof(*s->blocks));
		i = s->n_blocks++;
		s->blocks[i] = (struct mp_block){ NULL, 0, 0 };
	}
	b = &s->blocks[i];
	if (b->cap < size) {
		b->data = block_data(s, size);
		b->cap = size;
	}
	b->refs = 1;
	s->bytes += b->cap;
	return i;
}

void mp_store_drop_block(struct mp_store *s, uint32_t block)
{
	struct mp_block *b = &s->blocks[block];

	if (--b->refs)
		return;
	s->bytes -= b->cap;
	if (b->cap > MP_BLOCK_SIZE) { /* the block was allocated separately, for one long line */
		free(b->data);
		*b = (struct mp_block){ NULL, 0, 0 };
	}
	s->free_blocks =
		mp_grow(s->free_blocks, &s->cap_free, s->n_free + 1, sizeof(*s->free_blocks));
	s->free_blocks[s->n_free++] = block;
}

mp_line_ref mp_store_hold(struct mp_store *s, uint32_t block, size_t offset, size_t len)
{
	s->blocks[block].refs++;
	return make_ref(block, offset, len);
}

/*
 * The number of a stack, which is added if necessary. Returns false if there is no room for more.
 */
static bool number_of(struct mp_store *s, struct mp_str stack, uint32_t *number)
{
	size_t before = mp_map_bytes(&s->stacks);
	struct mp_map_entry *e;
	bool fresh;

	if (before > STACKS_MAX_BYTES) {
		e = mp_map_find(&s->stacks, &stack, 1);
		if (e)
			*number = *(uint32_t *)mp_map_value(e);
		return e;
	}
	e = mp_map_put(&s->stacks, &stack, 1, &fresh);
	if (fresh) {
		*(uint32_t *)mp_map_value(e) = (uint32_t)(s->stacks.n - 1);
		s->by_number = mp_grow(s->by_number, &s->cap_by_number, s->stacks.n,
				       sizeof(*s->by_number));
		s->by_number[s->stacks.n - 1] = e->key;
		s->bytes += mp_map_bytes(&s->stacks) - before;
	}
	*number = *(uint32_t *)mp_map_value(e);
	return true;
}

/* Makes room for `size` bytes in the block of packed lines. Returns the offset. */
static size_t packed_room(struct mp_store *s, size_t size)
{
	if (!s->has_packed || s->blocks[s->packed].cap - s->packed_used < size) {
		if (s->has_packed)
			mp_store_drop_block(s, s->packed);
		s->packed = mp_store_new_block(s, MP_MAX(size, (size_t)MP_BLOCK_SIZE));
		s->has_packed = true;
		s->packed_used = 0;
	}
	s->packed_used += size;
	return s->packed_used - size;
}

mp_line_ref mp_store_pack(struct mp_store *s, struct mp_str line)
{
	const char *tab = memrchr(line.p, '\t', line.len);
	size_t kept = line.len, offset;
	uint64_t packed = 0;
	uint32_t number;

	if (tab && line.p + line.len - tab > 64 &&
	    memcmp(tab, stack_field.p, stack_field.len) == 0) {
		struct mp_str stack = { tab + stack_field.len,
					line.p + line.len - 1 - tab - stack_field.len };

		if (tab > line.p && number_of(s, stack, &number)) {
			kept = tab - line.p;
			packed = PACKED;
		}
	}
	offset = packed_room(s, kept + (packed ? sizeof(number) : 0));
	memcpy(mp_store_data(s, s->packed) + offset, line.p, kept);
	if (packed)
		memcpy(mp_store_data(s, s->packed) + offset + kept, &number, sizeof(number));
	s->packed_in += line.len;
	s->packed_out += kept + (packed ? sizeof(number) : 0);
	return mp_store_hold(s, s->packed, offset, kept) | packed;
}

bool mp_store_pays(const struct mp_store *s)
{
	return s->packed_in < TRIAL_BYTES || s->packed_out < s->packed_in / 4 * 3;
}

struct mp_str mp_store_text(struct mp_store *s, mp_line_ref ref)
{
	struct mp_str text = { start_of(s, ref), len_of(ref) };
	struct mp_buf *line = &s->scratch;
	struct mp_str stack;
	uint32_t number;
	char *p;

	if (!(ref & PACKED))
		return text;
	memcpy(&number, text.p + text.len, sizeof(number));
	stack = s->by_number[number];
	line->len = 0;
	mp_buf_reserve(line, text.len + stack_field.len + stack.len + 1);
	p = mempcpy(line->p, text.p, text.len);
	p = mempcpy(p, stack_field.p, stack_field.len);
	p = mempcpy(p, stack.p, stack.len);
	*p++ = '\n';
	line->len = p - line->p;
	return mp_buf_view(line);
}

void mp_store_prefetch(const struct mp_store *s, mp_line_ref ref)
{
	const char *p = start_of(s, ref), *end = p + MP_MIN(len_of(ref), 512);

	for (; p < end; p += 64)
		__builtin_prefetch(p);
}

void mp_store_drop(struct mp_store *s, mp_line_ref ref)
{
	mp_store_drop_block(s, block_of(ref));
}
