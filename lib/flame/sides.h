/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two sides of a flame graph of differences: the weights of each node on both, in the tree of
 * all stacks of either. The tree's own weights become widths: the sum of what the sides compare, in
 * a unit so small that rounding does not show, so that what is on one side only has a width, too.
 * Includes tree.
 */
#ifndef MP_FLAME_SIDES_H
#define MP_FLAME_SIDES_H

#include "lib/tree/tree.h"

/* The probability that at least one difference that is due to chance is drawn in colour. */
#define MP_FLAME_ALPHA 0.05

enum { MP_FLAME_SIDES = 2, MP_FLAME_BEFORE = 0, MP_FLAME_AFTER };

enum mp_flame_measure {
	MP_FLAME_SHARE,	   /* shares of the weight of a side */
	MP_FLAME_ABSOLUTE, /* weights as they are */
	MP_FLAME_WORK,	   /* weights by unit of work */
};

struct mp_flame_side {
	const char *name; /* of its input; borrowed */
	double work;	  /* for MP_FLAME_WORK: how much it did, above 0 */
	int64_t *self;	  /* of a node, as in the tree */
	int64_t *total;	  /* set by mp_flame_sides_finish() */
	double exposure;  /* set by it: what weights are divided by to be compared */

	/* private */
	size_t cap;
};

struct mp_flame_sides {
	struct mp_flame_side side[MP_FLAME_SIDES];
	enum mp_flame_measure measure;
	bool own; /* a frame is compared by its own weight, not by its total */
	/* weights are numbers of samples: a frame is grey if chance explains its difference */
	bool counts;

	/* set by mp_flame_sides_finish() */
	double level;	   /* of p, at which a difference is significant */
	uint64_t negative; /* stacks whose weight on a side was below 0: it became 0 */
	bool overflow;	   /* a sum of a side exceeded 64 bits and stays at the limit */
};

void mp_flame_sides_release(struct mp_flame_sides *s);

/* Adds a weight of any sign to a stack of a side. Returns the node of its last frame. */
uint32_t mp_flame_sides_add(struct mp_flame_sides *s, struct mp_tree *t, unsigned side,
			    const struct mp_frame *frames, size_t n, int64_t weight);

/*
 * After the last stack: computes totals, and finishes the tree with widths as its weights. Returns
 * 0, or -1 if shares are to be compared and the total of only one side is 0; `*bad` is that side.
 * If both totals are 0, the total of the tree is 0, too.
 */
int mp_flame_sides_finish(struct mp_flame_sides *s, struct mp_tree *t, unsigned *bad);

/* A weight of a side in the unit of the measure; a share is from 0 to 1. */
static inline double mp_flame_sides_value(const struct mp_flame_sides *s, unsigned side,
					  int64_t weight)
{
	return (double)weight / s->side[side].exposure;
}

/* Whether both weights are the same in that unit; a difference due to rounding is none. */
bool mp_flame_sides_equal(const struct mp_flame_sides *s, int64_t before, int64_t after);

/*
 * The step of two weights for mp_palette_change(): 1 above 0, 2 from a factor of 1.1 on, 3 from
 * 1.5, 4 from 3 and where one is 0. 0: they do not differ, or not significantly.
 */
int mp_flame_sides_step(const struct mp_flame_sides *s, int64_t before, int64_t after);

/* The step of a node, by its own weights or its totals. */
int mp_flame_sides_step_of(const struct mp_flame_sides *s, uint32_t node);

#endif
