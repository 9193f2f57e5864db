/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values by label over an axis (mostly time), in bins, in one pass and bounded memory, whatever the
 * order of the input. Bins are 1, 2, 10, 20, 100, 200 ... wide, aligned at 0: each width divides
 * the next, so that bins merge when the axis outgrows their number. At the end the heaviest labels
 * of the whole are chosen, and all others become one. Includes map.
 */
#ifndef MP_STACKPLOT_STACKGRID_H
#define MP_STACKPLOT_STACKGRID_H

#include "lib/core/map.h"

enum mp_stack_fill {
	MP_STACK_ZERO,	/* a bin without a value is 0 */
	MP_STACK_CARRY, /* it is as the one before */
};

struct mp_stackgrid_style {
	size_t bins;		 /* at most */
	size_t rows;		 /* at most, the double for a moment */
	bool mean;		 /* the values of a bin are averaged, not added up */
	enum mp_stack_fill fill; /* between the values of a row; see mp_stackgrid_finish() */
};

struct mp_stackgrid {
	struct mp_stackgrid_style style;
	struct mp_map rows;	   /* label, and what is told apart below it -> struct row */
	int level;		   /* width of a bin: see mp_stackgrid_width() */
	int64_t low, high;	   /* bins in use, by number: floor(x / width) */
	uint64_t n;		   /* values taken */
	double *rest;		   /* bins of labels that were given up; NULL: none were */
	uint64_t given_up;	   /* how many */
	struct mp_map_entry *last; /* row of the latest value */
};

/* The style's numbers are above 0. */
void mp_stackgrid_init(struct mp_stackgrid *g, const struct mp_stackgrid_style *style);
void mp_stackgrid_release(struct mp_stackgrid *g);

/*
 * Bins are at least this wide, rounded up to one of the widths. Before the first value; only for
 * those who want it.
 */
void mp_stackgrid_wide(struct mp_stackgrid *g, double width);

/*
 * A value of a label at x. `each` tells apart below the label what is averaged by itself and then
 * added up ("": nothing is). x and y are finite, |y| below 1e200. The second form is exact for
 * whole numbers beyond 2^53, as times are.
 */
void mp_stackgrid_add(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, double x,
		      double y);
void mp_stackgrid_add_at(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, int64_t x,
			 double y);

/*
 * Before the end, for sums of few values: merges bins until one has 4 values on average or they are
 * not above 100, since a forest of single ones says nothing.
 */
void mp_stackgrid_suit(struct mp_stackgrid *g);

double mp_stackgrid_width(const struct mp_stackgrid *g);

/* What is drawn: layers from the bottom, "other" first if there is one. */
struct mp_stack_layer {
	struct mp_str label; /* of the grid; p == NULL: other */
	double *values;	     /* by bin, not below 0 */
	double area;	     /* their sum */
};

struct mp_stackplot {
	size_t n_bins;
	double low, width; /* where the first bin begins */
	struct mp_stack_layer *layers;
	size_t n_layers;
	size_t n_other;	   /* labels in other, without those given up */
	double *totals;	   /* by bin */
	double area, peak; /* sum and greatest of the totals */
	uint64_t negative; /* bins of a label that were below 0: they count as 0 */
};

/*
 * The `top` heaviest labels, by area, then by name; the heaviest is the lowest, above other. With
 * CARRY a row keeps its value until its next one, and behind its last for as long as its values are
 * apart on average. Values at hand.
 */
void mp_stackgrid_finish(const struct mp_stackgrid *g, size_t top, struct mp_stackplot *s);
void mp_stackplot_release(struct mp_stackplot *s);

#endif
