/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of call stacks: stacks that begin with the same frames share these. A node takes 32
 * bytes and, if it is not the first child, a slot of a hash table until mp_tree_finish(); a name is
 * kept once. 300,000 stacks that differ in the last ten frames make 3 million nodes. No function
 * recurses, so a stack may have any number of frames. Includes esc, intmap, map.
 */
#ifndef MP_TREE_TREE_H
#define MP_TREE_TREE_H

#include "lib/core/intmap.h"
#include "lib/core/map.h"
#include "lib/stream/esc.h"

/* A node; its number is its index. Number 0 is the root, which has no name. */
struct mp_tree_node {
	uint32_t parent;
	uint32_t name; /* number of the name, from 0 */
	/* set by mp_tree_finish(), 0 if there is none; nodes with a total of 0 are in no list */
	uint32_t child; /* the first child, in the order of names */
	uint32_t next;	/* the next sibling */
	int64_t self;	/* weight of the stacks that end here */
	/* set by mp_tree_finish(): weight of the stacks that end here or in a descendant */
	int64_t total;
};

struct mp_tree {
	struct mp_tree_node *nodes;
	size_t n;
	/* set by mp_tree_finish() */
	uint64_t negative; /* nodes whose weight was below 0: it became 0 */
	bool overflow;	   /* the sum of all weights exceeded 64 bits; some were reduced */

	/* private */
	size_t cap;
	struct mp_map names; /* mark and name -> number */
	struct mp_map_entry **by_number;
	size_t by_number_cap;
	struct mp_intmap children; /* parent and name -> node, but for first children */
	uint32_t *path;		   /* the nodes of the stack that was added last */
	size_t path_n, path_cap;
};

void mp_tree_init(struct mp_tree *t);
void mp_tree_release(struct mp_tree *t);

/*
 * Adds a weight of any sign to a stack, whose first frame is a child of the root. Returns the node
 * of its last frame.
 */
uint32_t mp_tree_add(struct mp_tree *t, const struct mp_frame *frames, size_t n, int64_t weight);

/* After the last stack: computes totals and sorts siblings by the bytes of their names. */
void mp_tree_finish(struct mp_tree *t);

/* The frame of a node other than the root; its name is valid as long as the tree. */
struct mp_frame mp_tree_frame(const struct mp_tree *t, uint32_t node);

/* The name with this number, as mp_tree_frame(); how many names there are. */
struct mp_frame mp_tree_name(const struct mp_tree *t, uint32_t name);
static inline size_t mp_tree_names(const struct mp_tree *t)
{
	return t->names.n;
}

/* A walk over a finished tree, parents before their children. Zeroed, it is at the root. */
struct mp_tree_walk {
	uint32_t node;
	size_t depth; /* 0: the root */
	/*
	 * Where the node begins if siblings are side by side, in units of weight: from the left of
	 * a node come its children, then the weight of the node itself.
	 */
	int64_t at;
};

/*
 * Goes to the first child if `enter` is set and there is one, otherwise to the next node that is
 * not a descendant. Returns false after the last node.
 */
bool mp_tree_step(const struct mp_tree *t, struct mp_tree_walk *w, bool enter);

#endif
