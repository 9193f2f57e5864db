// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/levels.h"

#include <stdlib.h>
#include <string.h>

#include "lib/core/map.h"

enum {
	SHIFT_MIN = 10,	 /* bins of a microsecond */
	SHIFT_MAX = 60,	 /* then all times are in a few bins */
	SPAN_BINS = 256, /* a span covers at most as many bins */
	SLOTS_MIN = 1 << 10,
};

void mp_levels_init(struct mp_levels *l, size_t limit)
{
	memset(l, 0, sizeof(*l));
	l->shift = SHIFT_MIN;
	l->limit = limit;
	l->mask = SLOTS_MIN - 1;
	l->slots = mp_zalloc(SLOTS_MIN * sizeof(*l->slots));
}

void mp_levels_release(struct mp_levels *l)
{
	free(l->cells);
	free(l->slots);
}

/* The slot of a cell, or the free one where it belongs. */
static uint32_t *slot_of(const struct mp_levels *l, uint64_t bin, uint32_t row, uint32_t category)
{
	const uint64_t key[] = { bin, (uint64_t)row << 32 | category };
	size_t i = mp_hash(key, sizeof(key), mp_hash_seed());

	for (i &= l->mask; l->slots[i]; i = (i + 1) & l->mask) {
		const struct mp_level_cell *c = &l->cells[l->slots[i] - 1];

		if (c->bin == bin && c->row == row && c->category == category)
			break;
	}
	return &l->slots[i];
}

/* Finds the cells again by what they are now. */
static void index_cells(struct mp_levels *l, size_t slots)
{
	size_t i;

	free(l->slots);
	l->mask = slots - 1;
	l->slots = mp_zalloc(slots * sizeof(*l->slots));
	for (i = 0; i < l->n; i++)
		*slot_of(l, l->cells[i].bin, l->cells[i].row, l->cells[i].category) = i + 1;
}

/* Adds to a cell, whose sum stays within 64 bits. */
static void sum_up(struct mp_level_cell *to, const struct mp_level_cell *c)
{
	to->count += c->count;
	if (__builtin_add_overflow(to->sum, c->sum, &to->sum))
		to->sum = c->sum < 0 ? INT64_MIN : INT64_MAX;
}

/* Joins each bin with its neighbour. */
static void widen(struct mp_levels *l)
{
	size_t i, n = l->n;

	l->shift++;
	memset(l->slots, 0, (l->mask + 1) * sizeof(*l->slots));
	l->n = 0;
	for (i = 0; i < n; i++) {
		struct mp_level_cell c = l->cells[i];
		uint32_t *slot = slot_of(l, c.bin >>= 1, c.row, c.category);

		if (*slot) {
			sum_up(&l->cells[*slot - 1], &c);
			continue;
		}
		l->cells[l->n] = c;
		*slot = ++l->n;
	}
}

static void make_room(struct mp_levels *l)
{
	while (l->n >= l->limit && l->shift < SHIFT_MAX)
		widen(l);
	if (l->n >= l->limit)
		l->limit = 2 * l->n; /* as many rows and categories */
}

static void add(struct mp_levels *l, const struct mp_level_cell *c)
{
	uint32_t *slot = slot_of(l, c->bin, c->row, c->category);

	if (!*slot) {
		l->cells = mp_grow(l->cells, &l->cap, l->n + 1, sizeof(*l->cells));
		l->cells[l->n++] = (struct mp_level_cell){ c->bin, c->row, c->category, 0, 0 };
		*slot = l->n;
	}
	sum_up(&l->cells[*slot - 1], c);
	if (2 * l->n > l->mask)
		index_cells(l, 2 * (l->mask + 1));
}

void mp_levels_span(struct mp_levels *l, uint32_t row, uint32_t category, uint64_t begin_ns,
		    uint64_t dur_ns)
{
	uint64_t end_ns = begin_ns + dur_ns, at = begin_ns, next;
	struct mp_level_cell c = { .row = row, .category = category, .count = 1 };

	make_room(l);
	while (dur_ns >> l->shift > SPAN_BINS && l->shift < SHIFT_MAX)
		widen(l);
	l->added++;
	do {
		c.bin = at >> l->shift;
		next = MP_MIN((c.bin + 1) << l->shift, end_ns);
		c.sum = next - at;
		add(l, &c);
		c.count = 0;
		at = next;
	} while (at < end_ns);
}

void mp_levels_value(struct mp_levels *l, uint32_t row, uint64_t time_ns, int64_t value)
{
	struct mp_level_cell c = { .row = row, .count = 1, .sum = value };

	make_room(l);
	l->added++;
	c.bin = time_ns >> l->shift;
	add(l, &c);
}

static int compare(const void *a, const void *b)
{
	const struct mp_level_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

void mp_levels_finish(struct mp_levels *l)
{
	make_room(l);
	free(l->slots);
	l->slots = NULL;
	if (l->n)
		qsort(l->cells, l->n, sizeof(*l->cells), compare);
}
