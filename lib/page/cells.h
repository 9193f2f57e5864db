/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a recording, counted by time, stack and size. Time is divided into bins of equal
 * width, whose edges are multiples of that width on the clock of the recording; the width is the
 * least power of two of ns with which the recording has at most MP_PAGE_BINS_MAX bins. There is a
 * cell for each combination that occurs. Memory is bounded: where more than `most` cells would be
 * needed, bins become twice as wide. Includes base only.
 */
#ifndef MP_PAGE_CELLS_H
#define MP_PAGE_CELLS_H

#include "lib/core/base.h"

/* A recording that is longer than so many ns has more than half of these. */
enum { MP_PAGE_BINS_MAX = 8192 };

/* Which number an event has in lib/stats/loghist.h, by sign and power of two. */
enum {
	MP_PAGE_UNMEASURED, /* it has none */
	MP_PAGE_ZERO,
	MP_PAGE_POSITIVE,			  /* + exponent, 0 to 63 */
	MP_PAGE_NEGATIVE = MP_PAGE_POSITIVE + 64, /* + exponent */
	MP_PAGE_BUCKETS = MP_PAGE_NEGATIVE + 64,
};

/* The bucket of a measured number. */
unsigned mp_page_bucket(int64_t value);

struct mp_page_cell {
	uint64_t key; /* the functions below read it */
	uint64_t count;
	int64_t sum;
};

struct mp_page_cells {
	struct mp_page_cell *v; /* after mp_page_cells_finish() in the order of keys, each once */
	size_t n;
	uint64_t width_ns;
	uint64_t first, last; /* bins in use: times divided by the width */
	bool overflow;	      /* a sum exceeded 64 bits and stays at the limit */

	/* private */
	size_t cap, most;
	uint64_t base; /* the bin that has the number 0 in keys */
};

void mp_page_cells_init(struct mp_page_cells *c, size_t most);
void mp_page_cells_release(struct mp_page_cells *c);

/* Adds an event with its measured number, 0 if it has none. */
void mp_page_cells_add(struct mp_page_cells *c, uint64_t time_ns, uint32_t stack, unsigned bucket,
		       int64_t value);

/* Sorts the cells; call it before they are read. */
void mp_page_cells_finish(struct mp_page_cells *c);

/* Makes bins twice as wide, and finishes the cells again. */
void mp_page_cells_coarsen(struct mp_page_cells *c);

static inline size_t mp_page_cells_bins(const struct mp_page_cells *c)
{
	return c->n ? c->last - c->first + 1 : 0;
}

/* The parts of a key: the number of the bin, from 0, the stack and the bucket. */
static inline size_t mp_page_cell_bin(const struct mp_page_cells *c,
				      const struct mp_page_cell *cell)
{
	return (cell->key >> 40) + c->base - c->first;
}

static inline uint32_t mp_page_cell_stack(const struct mp_page_cell *cell)
{
	return (uint32_t)(cell->key >> 8);
}

static inline unsigned mp_page_cell_bucket(const struct mp_page_cell *cell)
{
	return cell->key & 255;
}

#endif
