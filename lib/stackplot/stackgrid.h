/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up values by label in the bins of an axis (usually time), in one pass and bounded memory, for
 * input in any order. Bins are 1, 2, 10, 20, 100, 200 ... wide, aligned at 0. Each width divides the
 * next, so that bins can merge when there are too many of them. At the end the heaviest labels are
 * chosen, and all others become one. Includes lossbins, map.
 */
#ifndef MP_STACKPLOT_STACKGRID_H
#define MP_STACKPLOT_STACKGRID_H

#include "lib/core/map.h"
#include "lib/draw/lossbins.h"

/* How bins without a value are filled. */
enum mp_stack_fill {
	MP_STACK_ZERO,	/* bins without a value are 0 */
	MP_STACK_CARRY, /* bins without a value have the value of the bin before */
	/*
	 * Values are samples of all labels in rounds: a row that a round lacks is 0 in it. A bin has
	 * as many rounds as its row with the most values; without a round it is like the one before.
	 */
	MP_STACK_ROUNDS,
};

struct mp_stackgrid_style {
	size_t bins; /* maximum number of bins */
	size_t rows; /* maximum number of rows; temporarily twice as many */
	bool mean;   /* the values of a bin are averaged, not added up */
	/* what fills the bins between the values of a row; see mp_stackgrid_finish() */
	enum mp_stack_fill fill;
};

struct mp_stackgrid {
	struct mp_stackgrid_style style;
	struct mp_map rows;	   /* label and `each` -> struct row */
	int level;		   /* width of a bin: see mp_stackgrid_width() */
	int64_t low, high;	   /* first and last bin in use, as floor(x / width) */
	uint64_t n;		   /* values added */
	double *rest;		   /* sums of the rows that were dropped, by bin; NULL: none */
	uint64_t dropped;	   /* number of dropped rows */
	uint64_t *lost;		   /* by bin, like rest: lost events; NULL: none */
	int64_t *lost_from;	   /* by bin: the earliest time since which they were lost */
	struct mp_map_entry *last; /* row of the latest value */
};

/* Initializes a grid; all numbers of the style are above 0. */
void mp_stackgrid_init(struct mp_stackgrid *g, const struct mp_stackgrid_style *style);
void mp_stackgrid_release(struct mp_stackgrid *g);

/*
 * Makes bins at least this wide, rounded up to one of the widths. Optional; to be called before the
 * first value is added.
 */
void mp_stackgrid_wide(struct mp_stackgrid *g, double width);

/*
 * Adds a value y of a label at x. Values of a label with different `each` are averaged separately
 * and then added up. x and y are finite, |y| below 1e200. mp_stackgrid_add_at() is exact for
 * whole numbers beyond 2^53, such as times.
 */
void mp_stackgrid_add(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, double x,
		      double y);
void mp_stackgrid_add_at(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, int64_t x,
			 double y);

/*
 * Spreads a span over the bins from `from` to before `to` (which is not less), times like x above:
 * each bin gets the part of that time that it covers, so that the sum is to - from.
 */
void mp_stackgrid_spread(struct mp_stackgrid *g, struct mp_str label, struct mp_str each,
			 int64_t from, int64_t to);

/*
 * `n` events were lost after `from` and up to `at`, times like x of mp_stackgrid_add_at(); the bins
 * reach up to there. Before the first value this does nothing.
 */
void mp_stackgrid_lost(struct mp_stackgrid *g, uint64_t n, int64_t from, int64_t at);

/*
 * Before mp_stackgrid_finish(), for sums of few values: merges bins until a bin has 4 values on
 * average or there are at most 100, since bins with a single value each show nothing.
 */
void mp_stackgrid_merge_sparse(struct mp_stackgrid *g);

/*
 * Before mp_stackgrid_finish(), for samples: merges bins until they are as wide as the samples of a
 * row are usually apart, so that a row with one sample is as wide as any other.
 */
void mp_stackgrid_merge_unsampled(struct mp_stackgrid *g);

double mp_stackgrid_width(const struct mp_stackgrid *g);

/* A layer of the picture, from the bottom up; "other" is the first, if there is one. */
struct mp_stack_layer {
	struct mp_str label; /* p == NULL: "other"; else borrowed from the grid */
	double *values;	     /* values by bin; none is below 0 */
	double area;	     /* sum of the values */
};

struct mp_stackplot {
	size_t n_bins;
	double low, width; /* start of the first bin, and width of a bin */
	bool exact;	   /* `first` is the exact start, and `width` is a whole number */
	int64_t first;
	struct mp_stack_layer *layers;
	size_t n_layers;
	size_t n_other;	   /* labels combined in "other", without the dropped ones */
	double *totals;	   /* by bin: sum of all layers */
	double area, peak; /* sum of the totals, and the greatest of them */
	struct mp_lossbins losses;
	uint64_t negative; /* bins of a label with a negative value, which counts as 0 */
};

/*
 * Makes layers of the `top` heaviest labels, in the order of area, then of name; the heaviest is
 * the lowest, above "other". With MP_STACK_CARRY a row keeps its value until its next one, and
 * after its last value for the average distance of its values. Labels are borrowed from the grid.
 */
void mp_stackgrid_finish(const struct mp_stackgrid *g, size_t top, struct mp_stackplot *s);
void mp_stackplot_release(struct mp_stackplot *s);

#endif
