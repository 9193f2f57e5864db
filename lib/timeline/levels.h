/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many short spans as a level of detail: for each row and category, and each bin of time, how many
 * spans began there and how much of the bin they cover. The bins are as narrow as a limit of cells
 * permits: when there are too many cells, two neighbours become one. Counters are kept in the same
 * way, with the sum of their values. Includes base only.
 */
#ifndef MP_TIMELINE_LEVELS_H
#define MP_TIMELINE_LEVELS_H

#include "lib/core/base.h"

struct mp_level_cell {
	uint64_t bin; /* a time divided by the width */
	uint32_t row, category;
	uint64_t count;
	int64_t sum; /* ns that are covered; of a counter, the sum of its values */
};

struct mp_levels {
	unsigned shift; /* the width of a bin is 1 << shift ns */
	struct mp_level_cell *cells;
	size_t n;
	uint64_t added; /* spans, or values of counters */

	/* private */
	size_t cap, limit;
	uint32_t *slots; /* number of a cell + 1; 0: free */
	size_t mask;
};

/* `limit`: the number of cells from which on bins are joined. */
void mp_levels_init(struct mp_levels *l, size_t limit);
void mp_levels_release(struct mp_levels *l);

void mp_levels_span(struct mp_levels *l, uint32_t row, uint32_t category, uint64_t begin_ns,
		    uint64_t dur_ns);
void mp_levels_value(struct mp_levels *l, uint32_t row, uint64_t time_ns, int64_t value);

/* Sorts the cells by row, category and bin; nothing is added after that. */
void mp_levels_finish(struct mp_levels *l);

#endif
