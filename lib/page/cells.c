// SPDX-License-Identifier: GPL-2.0-only
#include "lib/page/cells.h"

#include <stdlib.h>

#include "lib/stats/loghist.h"

/* A key is a bin, a stack and a bucket. */
enum { STACK_SHIFT = 8, BIN_SHIFT = 40, BINS = 2 * MP_PAGE_BINS_MAX };

unsigned mp_page_bucket(int64_t value)
{
	if (value == 0)
		return MP_PAGE_ZERO;
	return (value > 0 ? MP_PAGE_POSITIVE : MP_PAGE_NEGATIVE) +
	       (unsigned)mp_loghist_exponent((double)value);
}

void mp_page_cells_init(struct mp_page_cells *c, size_t most)
{
	*c = (struct mp_page_cells){ .width_ns = 1, .most = most };
}

void mp_page_cells_release(struct mp_page_cells *c)
{
	free(c->v);
	c->v = NULL;
	c->n = c->cap = 0;
}

/* --- order ------------------------------------------------------------------------------------ */

static size_t bin_of(const struct mp_page_cell *cell)
{
	return cell->key >> BIN_SHIFT;
}

static bool bins_ascend(const struct mp_page_cells *c)
{
	size_t i;

	for (i = 1; i < c->n; i++)
		if (bin_of(&c->v[i]) < bin_of(&c->v[i - 1]))
			return false;
	return true;
}

/* Puts the cells of each bin together, in place: each swap brings one to where it belongs. */
static void sort_bins(struct mp_page_cells *c)
{
	size_t *next = mp_zalloc((BINS + 1) * sizeof(*next)), *end = mp_alloc(BINS * sizeof(*end));
	struct mp_page_cell swap;
	size_t i, bin, at;

	for (i = 0; i < c->n; i++)
		next[bin_of(&c->v[i]) + 1]++;
	for (bin = 0; bin < BINS; bin++) {
		next[bin + 1] += next[bin];
		end[bin] = next[bin + 1];
	}
	for (bin = 0; bin < BINS; bin++) {
		while (next[bin] < end[bin]) {
			at = bin_of(&c->v[next[bin]]);
			swap = c->v[next[at]];
			c->v[next[at]] = c->v[next[bin]];
			c->v[next[bin]] = swap;
			next[at]++;
		}
	}
	free(next);
	free(end);
}

static int by_key(const void *a, const void *b)
{
	const struct mp_page_cell *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Adds up the cells from `from` to `to` that have the same key; they go to `at`. Returns the end. */
static size_t merge(struct mp_page_cells *c, size_t from, size_t to, size_t at)
{
	struct mp_page_cell *last = NULL;

	for (; from < to; from++) {
		const struct mp_page_cell cell = c->v[from];

		if (!last || last->key != cell.key) {
			last = &c->v[at++];
			*last = cell;
			continue;
		}
		last->count += cell.count;
		if (__builtin_add_overflow(last->sum, cell.sum, &last->sum)) {
			last->sum = cell.sum < 0 ? INT64_MIN : INT64_MAX;
			c->overflow = true;
		}
	}
	return at;
}

/* Events come in the order of time, more or less, so that the bins are often in order. */
void mp_page_cells_finish(struct mp_page_cells *c)
{
	size_t from, to, at = 0;

	if (!bins_ascend(c))
		sort_bins(c);
	for (from = 0; from < c->n; from = to) {
		size_t bin = bin_of(&c->v[from]);

		for (to = from + 1; to < c->n && bin_of(&c->v[to]) == bin; to++)
			;
		qsort(c->v + from, to - from, sizeof(*c->v), by_key);
		at = merge(c, from, to, at);
	}
	c->n = at;
}

/* --- width ------------------------------------------------------------------------------------ */

/* The least bin that an event may still have is that of 0 in keys. */
static uint64_t base_of(uint64_t first)
{
	return first < MP_PAGE_BINS_MAX ? 0 : first - MP_PAGE_BINS_MAX;
}

/* Makes bins 2^shift times as wide; the cells are not sorted then. */
static void widen(struct mp_page_cells *c, unsigned shift)
{
	uint64_t base = base_of(c->first >> shift);
	size_t i;

	for (i = 0; i < c->n; i++) {
		uint64_t bin = (bin_of(&c->v[i]) + c->base) >> shift;

		c->v[i].key = (bin - base) << BIN_SHIFT |
			      (c->v[i].key & (((uint64_t)1 << BIN_SHIFT) - 1));
	}
	c->width_ns <<= shift;
	c->first >>= shift;
	c->last >>= shift;
	c->base = base;
}

void mp_page_cells_coarsen(struct mp_page_cells *c)
{
	widen(c, 1);
	mp_page_cells_finish(c);
}

/* Makes room for a bin. */
static void reach(struct mp_page_cells *c, uint64_t bin)
{
	uint64_t first = MP_MIN(c->first, bin), last = MP_MAX(c->last, bin);
	unsigned shift = 0;

	while ((last >> shift) - (first >> shift) >= MP_PAGE_BINS_MAX)
		shift++;
	if (shift)
		widen(c, shift);
	c->first = MP_MIN(c->first, bin >> shift);
	c->last = MP_MAX(c->last, bin >> shift);
}

/* Makes room for a cell. */
static void shrink(struct mp_page_cells *c)
{
	mp_page_cells_finish(c);
	while (c->n > c->most / 4 * 3 && c->first < c->last)
		mp_page_cells_coarsen(c);
	if (c->n > c->most / 4 * 3)
		c->most *= 2; /* distinct stacks alone are as many */
}

void mp_page_cells_add(struct mp_page_cells *c, uint64_t time_ns, uint32_t stack, unsigned bucket,
		       int64_t value)
{
	uint64_t bin = time_ns / c->width_ns;

	if (c->n == 0) {
		c->first = c->last = bin;
		c->base = base_of(bin);
	} else if (bin < c->first || bin > c->last) {
		reach(c, bin);
	}
	if (c->n == c->most)
		shrink(c);
	c->v = mp_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = (struct mp_page_cell){
		.key = (time_ns / c->width_ns - c->base) << BIN_SHIFT |
		       (uint64_t)stack << STACK_SHIFT | bucket,
		.count = 1,
		.sum = value,
	};
}
