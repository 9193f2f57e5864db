// SPDX-License-Identifier: GPL-2.0-only
#include "lib/page/columns.h"

#include <stdlib.h>

enum { RANKS, BINS, STACKS, ROWS, BUCKETS, COUNTS, SUMS };

/* A stack: its node, how many events it has, its number in the order of names. */
struct stack {
	uint32_t node, number;
	int64_t events;
};

static void put_number(struct mp_buf *to, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		mp_buf_byte(to, (char)(v | 128));
	mp_buf_byte(to, (char)v);
}

static void put_signed(struct mp_buf *to, int64_t v)
{
	put_number(to, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

static int by_events(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Writes the order of stacks by frequency. Returns the rank of each node that is a stack. */
static uint32_t *put_ranks(struct mp_buf *to, const struct mp_tree *t)
{
	uint32_t *rank = mp_zalloc(t->n * sizeof(*rank));
	struct mp_tree_walk at = { .node = 0 };
	struct stack *stacks = NULL;
	size_t n = 0, cap = 0, i;

	while (mp_tree_step(t, &at, true)) {
		if (!t->nodes[at.node].self)
			continue;
		stacks = mp_grow(stacks, &cap, n + 1, sizeof(*stacks));
		stacks[n] = (struct stack){ at.node, n, t->nodes[at.node].self };
		n++;
	}
	if (n)
		qsort(stacks, n, sizeof(*stacks), by_events);
	for (i = 0; i < n; i++) {
		rank[stacks[i].node] = i;
		put_number(to, stacks[i].number);
	}
	free(stacks);
	return rank;
}

/* What is known of a stack in a bin: the cells from `first` to `end`. */
struct group {
	uint32_t rank;
	size_t first, end;
};

static int by_rank(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void put_group(struct mp_page_columns *c, const struct mp_page_cells *cells,
		      const struct group *g, bool measured)
{
	int64_t sum = 0;
	size_t i;

	for (i = g->first; i < g->end; i++) {
		const struct mp_page_cell *cell = &cells->v[i];

		if (measured)
			mp_buf_byte(&c->parts[BUCKETS], (char)mp_page_cell_bucket(cell));
		put_number(&c->parts[COUNTS], cell->count - 1);
		if (__builtin_add_overflow(sum, cell->sum, &sum))
			sum = cell->sum < 0 ? INT64_MIN : INT64_MAX;
	}
	c->stacks++;
	c->rows += g->end - g->first;
	if (!measured)
		return;
	put_number(&c->parts[ROWS], g->end - g->first - 1);
	put_signed(&c->parts[SUMS], sum);
}

static void put_groups(struct mp_page_columns *c, const struct mp_page_cells *cells,
		       struct group *groups, size_t n, bool measured)
{
	uint32_t next = 0;
	size_t i;

	put_number(&c->parts[BINS], n);
	if (n)
		qsort(groups, n, sizeof(*groups), by_rank);
	for (i = 0; i < n; i++) {
		put_number(&c->parts[STACKS], groups[i].rank - next);
		next = groups[i].rank + 1;
		put_group(c, cells, &groups[i], measured);
	}
}

/* Cells of a bin and a stack follow each other. */
void mp_page_columns_make(struct mp_page_columns *c, const struct mp_page_cells *cells,
			  const struct mp_tree *t, bool measured)
{
	size_t bins = mp_page_cells_bins(cells), bin, i = 0, n, cap = 0;
	struct group *groups = NULL;
	uint32_t *rank;

	*c = (struct mp_page_columns){ .stacks = 0 };
	rank = put_ranks(&c->parts[RANKS], t);
	for (bin = 0; bin < bins; bin++) {
		for (n = 0; i < cells->n && mp_page_cell_bin(cells, &cells->v[i]) == bin; n++) {
			uint64_t key = cells->v[i].key >> 8;
			size_t first = i;

			while (i < cells->n && cells->v[i].key >> 8 == key)
				i++;
			groups = mp_grow(groups, &cap, n + 1, sizeof(*groups));
			groups[n] = (struct group){ rank[(uint32_t)key], first, i };
		}
		put_groups(c, cells, groups, n, measured);
	}
	free(groups);
	free(rank);
}

void mp_page_columns_release(struct mp_page_columns *c)
{
	size_t i;

	for (i = 0; i < MP_PAGE_COLUMNS; i++)
		mp_buf_release(&c->parts[i]);
}
