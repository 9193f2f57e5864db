// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/space.h"

#include <stdlib.h>

#include "lib/capture/stack/dso.h"
#include "lib/core/map.h"

/*
 * A node of a treap: in order of address, and no child has a higher priority. A node that several
 * trees share is never changed: a change copies the path that leads to it.
 */
struct mp_space_node {
	struct mp_mapping m;
	struct mp_space_node *left, *right;
	uint32_t refs; /* number of parents, and of spaces that have it as their root */
	uint32_t priority;
	uint32_t n; /* nodes of this subtree */
	uid_t uid;  /* who is charged for it */
};

/* Who is charged for the nodes of a change. */
struct charge {
	struct mp_budget *budget;
	uid_t uid;
};

size_t mp_space_mapping_bytes(void)
{
	return sizeof(struct mp_space_node);
}

/* Without knowing the seed, nobody can choose addresses of mappings that make the tree deep. */
static uint32_t priority_of(uint64_t start)
{
	return (uint32_t)mp_hash(&start, sizeof(start), mp_hash_seed());
}

static uint32_t count(const struct mp_space_node *node)
{
	return node ? node->n : 0;
}

static void recount(struct mp_space_node *node)
{
	node->n = 1 + count(node->left) + count(node->right);
}

static struct mp_space_node *new_node(const struct mp_mapping *m, const struct charge *charge)
{
	struct mp_space_node *node = mp_zalloc(sizeof(*node));

	node->m = *m;
	if (m->dso)
		m->dso->refs++;
	node->refs = node->n = 1;
	node->priority = priority_of(m->start);
	node->uid = charge->uid;
	mp_budget_spend(charge->budget, MP_BUDGET_MAPPINGS, charge->uid, sizeof(*node));
	return node;
}

static void drop(struct mp_space_node *node, struct mp_budget *budget)
{
	if (!node || --node->refs)
		return;
	drop(node->left, budget);
	drop(node->right, budget);
	if (node->m.dso)
		node->m.dso->refs--;
	mp_budget_give(budget, MP_BUDGET_MAPPINGS, node->uid, sizeof(*node));
	free(node);
}

/* Prepares a node for a change: a shared one is copied. */
static struct mp_space_node *own(struct mp_space_node *node, const struct charge *charge)
{
	struct mp_space_node *copy;

	if (node->refs == 1)
		return node;
	copy = new_node(&node->m, charge);
	copy->n = node->n;
	copy->left = node->left;
	copy->right = node->right;
	if (copy->left)
		copy->left->refs++;
	if (copy->right)
		copy->right->refs++;
	node->refs--;
	return copy;
}

/* Splits a tree into the mappings that begin before an address, and the others. */
static void split(struct mp_space_node *node, uint64_t addr, struct mp_space_node **before,
		  struct mp_space_node **others, const struct charge *charge)
{
	if (!node) {
		*before = *others = NULL;
		return;
	}
	node = own(node, charge);
	if (node->m.start < addr) {
		split(node->right, addr, &node->right, others, charge);
		*before = node;
	} else {
		split(node->left, addr, before, &node->left, charge);
		*others = node;
	}
	recount(node);
}

/* Joins two trees; the first has the lower addresses. */
static struct mp_space_node *join(struct mp_space_node *a, struct mp_space_node *b,
				  const struct charge *charge)
{
	if (!a || !b)
		return a ? a : b;
	if (a->priority > b->priority) {
		a = own(a, charge);
		a->right = join(a->right, b, charge);
		recount(a);
		return a;
	}
	b = own(b, charge);
	b->left = join(a, b->left, charge);
	recount(b);
	return b;
}

static const struct mp_mapping *last_of(const struct mp_space_node *node)
{
	while (node && node->right)
		node = node->right;
	return node ? &node->m : NULL;
}

/* Ends the last mapping of a tree at an address. */
static struct mp_space_node *cut_last(struct mp_space_node *node, uint64_t end,
				      const struct charge *charge)
{
	node = own(node, charge);
	if (node->right)
		node->right = cut_last(node->right, end, charge);
	else
		node->m.end = end;
	return node;
}

/* The part of a mapping after an address; false: it ends before that. */
static bool tail_of(const struct mp_mapping *m, uint64_t addr, struct mp_mapping *tail)
{
	if (!m || m->end <= addr)
		return false;
	*tail = *m;
	tail->offset += addr - m->start;
	tail->start = addr;
	return true;
}

static void set_jitdump(struct mp_space *s, struct mp_dso *dso)
{
	if (dso)
		dso->refs++;
	if (s->jitdump)
		s->jitdump->refs--;
	s->jitdump = dso;
}

void mp_space_add(struct mp_space *s, const struct mp_mapping *m, struct mp_budget *budget,
		  uid_t uid)
{
	const struct charge charge = { budget, uid };
	struct mp_space_node *before, *within, *after, *rest;
	struct mp_mapping tail;
	bool has_tail;

	split(s->root, m->start, &before, &rest, &charge);
	split(rest, m->end, &within, &after, &charge);
	has_tail =
		tail_of(last_of(within), m->end, &tail) || tail_of(last_of(before), m->end, &tail);
	if (has_tail)
		after = join(new_node(&tail, &charge), after, &charge);
	if (before && last_of(before)->end > m->start)
		before = cut_last(before, m->start, &charge);
	drop(within, budget);
	s->root = join(join(before, new_node(m, &charge), &charge), after, &charge);
	s->n = s->root->n;
	if (m->dso && m->dso->is_jitdump)
		set_jitdump(s, m->dso);
}

void mp_space_copy(struct mp_space *s, const struct mp_space *from)
{
	s->root = from->root;
	s->n = from->n;
	set_jitdump(s, from->jitdump);
	if (s->root)
		s->root->refs++;
}

void mp_space_clear(struct mp_space *s, struct mp_budget *budget)
{
	drop(s->root, budget);
	s->root = NULL;
	s->n = 0;
	set_jitdump(s, NULL);
}

const struct mp_mapping *mp_space_after(const struct mp_space *s, uint64_t addr)
{
	const struct mp_space_node *node = s->root, *found = NULL;

	while (node) {
		if (node->m.end > addr) {
			found = node;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return found ? &found->m : NULL;
}

const struct mp_mapping *mp_space_find(const struct mp_space *s, uint64_t addr)
{
	const struct mp_space_node *node = s->root;

	while (node) {
		if (addr < node->m.start)
			node = node->left;
		else if (addr >= node->m.end)
			node = node->right;
		else
			return &node->m;
	}
	return NULL;
}
