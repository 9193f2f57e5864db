/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values of a label in a grid (stackgrid.h), by bin; private to this folder. Most labels of an
 * input with very many have few bins, and are dropped again, so that these are kept in the row.
 * Includes str only.
 */
#ifndef MP_STACKPLOT_STACKROW_H
#define MP_STACKPLOT_STACKROW_H

#include "lib/core/str.h"

enum { MP_STACKGRID_CELLS = 4 };

/* The bins of a grid. */
struct mp_stackgrid_bins {
	size_t max; /* a bin is in slot (bin % max) */
	bool mean;  /* the values of a bin are averaged, not added up */
	int64_t low, high;
};

/* A value of a row with few bins. */
struct mp_stackgrid_cell {
	double sum;
	uint32_t count;
	uint32_t at; /* bin % max */
};

struct mp_stackgrid_row {
	double *sums;	  /* index: bin % max; NULL: `cells` has all values */
	uint32_t *counts; /* index: bin % max */
	struct mp_stackgrid_cell cells[MP_STACKGRID_CELLS];
	uint32_t n_cells;
	bool kept;     /* while light rows are dropped: this one stays */
	double weight; /* sum of the values of the bins */
	struct mp_str key;
};

static inline int64_t mp_stackgrid_floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The place of a bin in the arrays. */
static inline size_t mp_stackgrid_slot(const struct mp_stackgrid_bins *b, int64_t bin)
{
	int64_t n = (int64_t)b->max, at = bin % n;

	return at < 0 ? at + n : at;
}

/* The bin of a slot. */
static inline int64_t mp_stackgrid_bin_of(const struct mp_stackgrid_bins *b, size_t at)
{
	size_t first = mp_stackgrid_slot(b, b->low), n = b->max;

	return b->low + (int64_t)((at + n - first) % n);
}

static inline double mp_stackgrid_value(const struct mp_stackgrid_bins *b, double sum,
					uint32_t count)
{
	return b->mean && count ? sum / count : sum;
}

/* Adds a value to the bin of a slot. */
void mp_stackgrid_row_add(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r, size_t at,
			  double y);

/* Merges each `factor` bins; `sums` and `counts` have room for all bins. */
void mp_stackgrid_row_coarsen(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r,
			      int factor, double *sums, uint32_t *counts);

/* Adds the values to an array of all bins. */
void mp_stackgrid_row_add_to(const struct mp_stackgrid_bins *b, const struct mp_stackgrid_row *r,
			     double *to);

/* Copies the values in the order of bins: `n` from the first bin to the last. */
void mp_stackgrid_row_load(const struct mp_stackgrid_bins *b, const struct mp_stackgrid_row *r,
			   size_t n, double *sums, uint32_t *counts);

#endif
