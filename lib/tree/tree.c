// SPDX-License-Identifier: GPL-2.0-only
#include "lib/tree/tree.h"

#include <stdlib.h>

void mp_tree_init(struct mp_tree *t)
{
	*t = (struct mp_tree){ .n = 1 };
	t->nodes = mp_grow(NULL, &t->cap, 1, sizeof(*t->nodes));
	t->nodes[0] = (struct mp_tree_node){ .parent = 0 };
	mp_map_init(&t->names, sizeof(uint32_t));
	mp_intmap_init(&t->children);
}

void mp_tree_release(struct mp_tree *t)
{
	free(t->nodes);
	free(t->by_number);
	free(t->path);
	mp_map_release(&t->names);
	mp_intmap_release(&t->children);
	*t = (struct mp_tree){ .n = 0 };
}

struct mp_frame mp_tree_name(const struct mp_tree *t, uint32_t name)
{
	struct mp_str key = t->by_number[name]->key; /* a mark, a TAB, the name */
	char mark = key.p[0];

	return (struct mp_frame){ .name = mp_str_skip(key, 2),
				  .mark = mark == '-' ? MP_MARK_NONE : mark };
}

struct mp_frame mp_tree_frame(const struct mp_tree *t, uint32_t node)
{
	return mp_tree_name(t, t->nodes[node].name);
}

static uint32_t number_of(struct mp_tree *t, const struct mp_frame *frame)
{
	char mark = frame->mark == MP_MARK_NONE ? '-' : (char)frame->mark;
	struct mp_str parts[] = { { &mark, 1 }, frame->name };
	struct mp_map_entry *e;
	uint32_t *number;
	bool fresh;

	e = mp_map_put(&t->names, parts, MP_ARRAY_SIZE(parts), &fresh);
	number = mp_map_value(e);
	if (fresh) {
		*number = t->names.n - 1;
		t->by_number = mp_grow(t->by_number, &t->by_number_cap, t->names.n,
				       sizeof(struct mp_map_entry *));
		t->by_number[*number] = e;
	}
	return *number;
}

/*
 * Most nodes have one child, which the parent knows; the others are in the hash table. While stacks
 * are added, `child` is the first one in the order of addition.
 */
static uint32_t child_of(struct mp_tree *t, uint32_t parent, const struct mp_frame *frame)
{
	uint32_t name = number_of(t, frame), first = t->nodes[parent].child, found;
	uint64_t key = (uint64_t)parent << 32 | name;

	if (first && t->nodes[first].name == name)
		return first;
	if (first && (found = mp_intmap_get(&t->children, key)))
		return found;
	if (t->n == UINT32_MAX)
		mp_die("stacks have more than %u frames that differ", UINT32_MAX - 1);
	t->nodes = mp_grow(t->nodes, &t->cap, t->n + 1, sizeof(*t->nodes));
	t->nodes[t->n] = (struct mp_tree_node){ .parent = parent, .name = name };
	if (first)
		mp_intmap_add(&t->children, key, t->n);
	else
		t->nodes[parent].child = t->n;
	return t->n++;
}

static bool is_frame(const struct mp_tree *t, uint32_t node, const struct mp_frame *frame)
{
	struct mp_frame f = mp_tree_frame(t, node);

	return f.mark == frame->mark && mp_str_eq(f.name, frame->name);
}

/* Most stacks begin as the one before, whose nodes need no search. */
uint32_t mp_tree_add(struct mp_tree *t, const struct mp_frame *frames, size_t n, int64_t weight)
{
	uint32_t node = 0;
	int64_t *self;
	size_t i;

	for (i = 0; i < n && i < t->path_n && is_frame(t, t->path[i], &frames[i]); i++)
		node = t->path[i];
	t->path = mp_grow(t->path, &t->path_cap, n, sizeof(*t->path));
	for (; i < n; i++) {
		node = child_of(t, node, &frames[i]);
		t->path[i] = node;
	}
	t->path_n = n;
	self = &t->nodes[node].self;
	if (__builtin_add_overflow(*self, weight, self)) {
		*self = weight < 0 ? INT64_MIN : INT64_MAX;
		t->overflow = true;
	}
	return node;
}

/* A child has a greater number than its parent. The sum of all is at most INT64_MAX. */
static void compute_totals(struct mp_tree *t)
{
	int64_t left = INT64_MAX;
	size_t i;

	for (i = 0; i < t->n; i++) {
		struct mp_tree_node *node = &t->nodes[i];

		t->negative += node->self < 0;
		node->self = MP_MAX(node->self, 0);
		t->overflow |= node->self > left;
		node->self = MP_MIN(node->self, left);
		left -= node->self;
		node->total = node->self;
		node->child = node->next = 0;
	}
	for (i = t->n - 1; i > 0; i--)
		t->nodes[t->nodes[i].parent].total += t->nodes[i].total;
}

static int by_name(const void *a, const void *b)
{
	const struct mp_map_entry *x = *(const struct mp_map_entry *const *)a;
	const struct mp_map_entry *y = *(const struct mp_map_entry *const *)b;
	int order = mp_str_cmp(mp_str_skip(x->key, 2), mp_str_skip(y->key, 2));

	return order ? order : mp_str_cmp(x->key, y->key);
}

/* Makes the numbers of names their order. */
static void sort_names(struct mp_tree *t)
{
	size_t n = t->names.n, i;
	uint32_t *number = mp_alloc(n * sizeof(*number));

	for (i = 0; i < n; i++)
		*(uint32_t *)mp_map_value(t->by_number[i]) = i;
	if (n)
		qsort(t->by_number, n, sizeof(struct mp_map_entry *), by_name);
	for (i = 0; i < n; i++) {
		uint32_t *value = mp_map_value(t->by_number[i]);

		number[*value] = i;
		*value = i;
	}
	for (i = 1; i < t->n; i++)
		t->nodes[i].name = number[t->nodes[i].name];
	free(number);
}

/* Sorts all nodes by name (counting sort), and puts each before its siblings, the last first. */
static void link_children(struct mp_tree *t)
{
	size_t n_names = t->names.n, i;
	uint32_t *end = mp_zalloc((n_names + 1) * sizeof(*end));
	uint32_t *sorted = mp_alloc(t->n * sizeof(*sorted));

	for (i = 1; i < t->n; i++)
		end[t->nodes[i].name]++;
	for (i = 1; i < n_names; i++)
		end[i] += end[i - 1];
	for (i = 1; i < t->n; i++)
		sorted[--end[t->nodes[i].name]] = i;
	for (i = t->n - 1; i-- > 0;) {
		struct mp_tree_node *node = &t->nodes[sorted[i]];

		if (node->total == 0)
			continue;
		node->next = t->nodes[node->parent].child;
		t->nodes[node->parent].child = sorted[i];
	}
	free(end);
	free(sorted);
}

void mp_tree_finish(struct mp_tree *t)
{
	mp_intmap_release(&t->children);
	compute_totals(t);
	sort_names(t);
	link_children(t);
}

bool mp_tree_step(const struct mp_tree *t, struct mp_tree_walk *w, bool enter)
{
	const struct mp_tree_node *node = &t->nodes[w->node];

	if (enter && node->child) {
		w->node = node->child;
		w->depth++;
		return true;
	}
	w->at += node->total;
	while (w->node && !node->next) {
		w->node = node->parent;
		w->depth--;
		node = &t->nodes[w->node];
		w->at += node->self;
	}
	if (!w->node)
		return false;
	w->node = node->next;
	return true;
}
