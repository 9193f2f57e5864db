// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/runs.h"

#include <stdlib.h>

void mp_diff_runs_init(struct mp_diff_runs *r, size_t n_before, size_t n_after)
{
	*r = (struct mp_diff_runs){ .n = n_before + n_after, .n_before = n_before };
	mp_tree_init(&r->tree);
	r->total = mp_zalloc(r->n * sizeof(*r->total));
}

void mp_diff_runs_release(struct mp_diff_runs *r)
{
	mp_tree_release(&r->tree);
	free(r->node);
	free(r->weights);
	free(r->total);
	free(r->stack_of);
	*r = (struct mp_diff_runs){ .n = 0 };
}

void mp_diff_runs_sum(struct mp_diff_runs *r, int64_t *sum, int64_t weight)
{
	if (!__builtin_add_overflow(*sum, weight, sum))
		return;
	*sum = weight < 0 ? INT64_MIN : INT64_MAX;
	r->overflow = true;
}

static size_t add_stack(struct mp_diff_runs *r, uint32_t node)
{
	size_t stack = r->n_stacks++;

	r->node = mp_grow(r->node, &r->node_cap, r->n_stacks, sizeof(*r->node));
	r->node[stack] = node;
	r->weights = mp_grow(r->weights, &r->weights_cap, r->n_stacks, r->n * sizeof(*r->weights));
	memset(r->weights + stack * r->n, 0, r->n * sizeof(*r->weights));
	return stack;
}

/* The number of the stack that ends in a node; adds the stack if it is new. */
static size_t stack_of(struct mp_diff_runs *r, uint32_t node)
{
	size_t had = r->stack_of_cap;

	if (node >= had) {
		r->stack_of = mp_grow(r->stack_of, &r->stack_of_cap, (size_t)node + 1,
				      sizeof(*r->stack_of));
		memset(r->stack_of + had, 0, (r->stack_of_cap - had) * sizeof(*r->stack_of));
	}
	if (!r->stack_of[node])
		r->stack_of[node] = add_stack(r, node) + 1;
	return r->stack_of[node] - 1;
}

/* Each addition has the weight 1 in the tree, because the tree drops nodes without a weight. */
void mp_diff_runs_add(struct mp_diff_runs *r, size_t run, const struct mp_frame *frames, size_t n,
		      int64_t weight)
{
	size_t stack = stack_of(r, mp_tree_add(&r->tree, frames, n, 1));

	mp_diff_runs_sum(r, &r->weights[stack * r->n + run], weight);
	mp_diff_runs_sum(r, &r->total[run], weight);
}

/* Numbers the stacks again, in the order in which a walk meets them. */
void mp_diff_runs_finish(struct mp_diff_runs *r)
{
	size_t row = r->n * sizeof(*r->weights), n = 0;
	struct mp_tree_walk w = { .node = 0 };
	int64_t *weights = mp_alloc(r->n_stacks * row);

	mp_tree_finish(&r->tree);
	do {
		uint32_t stack = w.node < r->stack_of_cap ? r->stack_of[w.node] : 0;

		if (!stack)
			continue;
		memcpy(weights + n * r->n, mp_diff_runs_of(r, stack - 1), row);
		r->node[n++] = w.node;
	} while (mp_tree_step(&r->tree, &w, true));
	free(r->weights);
	free(r->stack_of);
	r->weights = weights;
	r->stack_of = NULL;
	r->stack_of_cap = 0;
}

size_t mp_diff_runs_path(const struct mp_diff_runs *r, size_t stack, uint32_t **path, size_t *cap)
{
	const struct mp_tree_node *nodes = r->tree.nodes;
	size_t n = 0, i;
	uint32_t node;

	for (node = r->node[stack]; node; node = nodes[node].parent)
		n++;
	*path = mp_grow(*path, cap, n, sizeof(**path));
	for (i = n, node = r->node[stack]; node; node = nodes[node].parent)
		(*path)[--i] = nodes[node].name;
	return n;
}
