/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bins of one axis of a picture: its range, chosen so that outliers do not compress the rest, and
 * the edges of its bins, which lie on lines of the grid. Includes axis, grid.
 */
#ifndef MP_HEATMAP_BINS_H
#define MP_HEATMAP_BINS_H

#include "lib/draw/axis.h"
#include "lib/heatmap/grid.h"

/* After the n bins that are drawn come two: n is below the first (names: other), n + 1 above the last. */
struct mp_bins {
	size_t n;
	bool names;
	double *edge;	     /* n + 1, unless names; whole numbers times the factor */
	int64_t *whole;	     /* the same, exactly, where lines are WHOLE; else NULL */
	struct mp_str *name; /* n; borrowed from the grid */
	size_t others;	     /* names that are in "other", as far as known */
	unsigned *bin;	     /* by slot of the grid */
	struct mp_axis axis; /* unless names; TIME: without `zero` */
	int64_t zero;
};

struct mp_bins_style {
	size_t wanted;	 /* bins; of names at most so many */
	double overflow; /* share of the sum that may be outside the range at either end */
	bool log_scale;	 /* VALUE */
	const char *unit;

	/* WHOLE */
	int64_t factor; /* what a whole number is multiplied with */
	int64_t margin; /* whole numbers added on both sides of a single one */
	int64_t end; /* the range is from 0 to this, after multiplication; 0: that of the values */
};

/* `totals` is the sum of each slot of the lines, which are not empty. */
void mp_bins_make(struct mp_bins *b, const struct mp_lines *lines, const uint64_t *totals,
		  const struct mp_bins_style *style);
void mp_bins_release(struct mp_bins *b);

#endif
