/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The weights of stacks in several runs: those of one side, then those of the other. A distinct
 * stack takes 8 bytes for each run and its part of the tree of all stacks. Includes tree.
 */
#ifndef MP_DIFF_RUNS_H
#define MP_DIFF_RUNS_H

#include "lib/tree/tree.h"

struct mp_diff_runs {
	size_t n, n_before; /* runs; those before are the first ones */
	struct mp_tree tree;
	size_t n_stacks;
	uint32_t *node;	  /* of a stack, by its number: the node of its last frame */
	int64_t *weights; /* of a stack in each run: n values for each number */
	int64_t *total;	  /* of a run: the sum of its weights */
	bool overflow;	  /* a sum exceeded 64 bits and stays at the limit */

	/* private */
	uint32_t *stack_of; /* of a node: 1 + number of the stack that ends there, or 0 */
	size_t node_cap, weights_cap, stack_of_cap;
};

void mp_diff_runs_init(struct mp_diff_runs *r, size_t n_before, size_t n_after);
void mp_diff_runs_release(struct mp_diff_runs *r);

/* Adds a weight of any sign to a stack of a run, whose number is below r->n. */
void mp_diff_runs_add(struct mp_diff_runs *r, size_t run, const struct mp_frame *frames, size_t n,
		      int64_t weight);

/* After the last stack: sorts the names and, by their frames, the stacks. */
void mp_diff_runs_finish(struct mp_diff_runs *r);

/* The weights of a stack: n values. */
static inline const int64_t *mp_diff_runs_of(const struct mp_diff_runs *r, size_t stack)
{
	return r->weights + stack * r->n;
}

/* Adds to a sum, which stops at the limits of 64 bits. */
void mp_diff_runs_sum(struct mp_diff_runs *r, int64_t *sum, int64_t weight);

/*
 * The numbers of the names of a stack, from the root to the last frame: the path of its node. The
 * array is `path`, which grows; `*cap` is its size. Returns the number of frames.
 */
size_t mp_diff_runs_path(const struct mp_diff_runs *r, size_t stack, uint32_t **path, size_t *cap);

#endif
