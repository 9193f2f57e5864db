/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of several sources into one order of time: holds them until the caller says that nothing
 * earlier will come, in bounded memory; beyond it sorted runs go to a temporary file (see run.h).
 * Equal times keep the order of the sources, then that of the lines: a stable sort. Includes io,
 * run.
 */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "lib/io.h"
#include "lib/run.h"

enum {
	MP_BLOCK_SIZE = 1 << 20, /* bytes read at once into one block */
	MP_SLAB_SIZE = 16 << 20, /* bytes of blocks asked from the kernel at once */
	MP_ORDER_FAN = 64,	 /* runs merged at once */
};

/* A line that waits: its text with LF is in a block. */
struct mp_pending {
	uint64_t time_ns;
	uint32_t block;
	uint32_t offset;
	uint32_t len; /* with LF */
};

struct mp_order_source {
	struct mp_pending *lines;
	size_t first, n, cap; /* lines[first..n) wait */
	bool unsorted;
};

struct mp_block {
	char *data;
	size_t cap;
	size_t refs; /* lines that wait in it, and its reader */
};

/* Writes a line (with LF) of a source to the output. */
typedef void mp_order_emit_fn(void *arg, size_t source, uint64_t time_ns, struct mp_str line);

struct mp_order {
	char **slabs;
	size_t n_slabs, cap_slabs, slab_used;
	struct mp_order_source *sources;
	size_t n_sources;
	struct mp_block *blocks;
	size_t n_blocks, cap_blocks;
	uint32_t *free_blocks;
	size_t n_free, cap_free;
	struct mp_run *runs[MP_ORDER_FAN];
	size_t n_runs;
	uint64_t released_ns; /* lines below it were written */
	size_t bytes;	      /* memory of the lines that wait */
	size_t limit;
	mp_order_emit_fn *emit;
	void *arg;
	struct mp_pending *scratch; /* for sorting */
	size_t cap_scratch;
	uint64_t spilled; /* bytes that went to temporary files */
};

/* `emit` gets the lines in order. `limit`: bytes of memory for lines that wait. */
void mp_order_init(struct mp_order *o, size_t n_sources, size_t limit, mp_order_emit_fn *emit,
		   void *arg);
void mp_order_release(struct mp_order *o);

/*
 * A block to read into, of at least `size` bytes; the caller holds it until mp_order_drop_block().
 */
uint32_t mp_order_new_block(struct mp_order *o, size_t size);
void mp_order_drop_block(struct mp_order *o, uint32_t block);

static inline char *mp_order_data(const struct mp_order *o, uint32_t block)
{
	return o->blocks[block].data;
}

/*
 * Adds a line of a block. Returns false if something later was written already: then the line was
 * written at once, out of order.
 */
bool mp_order_add(struct mp_order *o, size_t source, uint64_t time_ns, uint32_t block,
		  uint32_t offset, uint32_t len);

/* Writes all lines below `bound_ns`; UINT64_MAX: all. */
void mp_order_flush(struct mp_order *o, uint64_t bound_ns);

/* True if memory is beyond the limit: flush, or spill. */
static inline bool mp_order_full(const struct mp_order *o)
{
	return o->bytes > o->limit;
}

/* Moves all lines that wait to a temporary file in $TMPDIR. */
void mp_order_spill(struct mp_order *o);

#endif
