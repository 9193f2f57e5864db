/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bins of one axis of a picture: its range, chosen so that outliers do not compress the rest,
 * and the edges of its bins, which lie on lines of the grid. Includes axis, grid.
 */
#ifndef MP_HEATMAP_BINS_H
#define MP_HEATMAP_BINS_H

#include "lib/draw/axis.h"
#include "lib/heatmap/grid.h"

/*
 * The bins 0 to n - 1 are those of the range. Two follow for overflow: n for values below the range
 * (or, for names, the other names), n + 1 for values above it.
 */
struct mp_bins {
	size_t n;
	bool names;
	/*
	 * n + 1 edges, none for names; edges in whole numbers are multiplied by the style's factor
	 */
	double *edge;
	int64_t *whole;	     /* the edges as exact integers if lines are WHOLE, else NULL */
	struct mp_str *name; /* n names; borrowed from the grid */
	size_t others;	     /* number of known names that are in "other" */
	unsigned *bin;	     /* slot of the grid -> bin */
	struct mp_axis axis; /* none for names; of times, relative to `zero` */
	int64_t zero;
};

struct mp_bins_style {
	size_t wanted;	 /* number of bins; for names the maximum */
	double overflow; /* share of the sum that may be outside of the range at either end */
	bool log_scale;	 /* VALUE */
	bool by_weight;	 /* NAMES: the heaviest first, not in natural order */
	const char *unit;

	/* WHOLE */
	int64_t factor; /* multiplies whole numbers */
	int64_t margin; /* whole numbers added on both sides if there is one value only */
	/* end of a range that begins at 0, after multiplication; 0: the values decide the range */
	int64_t end;
};

/* Makes the bins. `lines` must not be empty; `totals` is the sum of each of its slots. */
void mp_bins_make(struct mp_bins *b, const struct mp_lines *lines, const uint64_t *totals,
		  const struct mp_bins_style *style);
void mp_bins_release(struct mp_bins *b);

#endif
