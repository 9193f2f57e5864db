// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stackplot/stackrow.h"

#include <stdlib.h>

static void add_cell(struct mp_stackgrid_row *r, size_t at, double sum, uint32_t count)
{
	size_t i;

	for (i = 0; i < r->n_cells && r->cells[i].at != at; i++)
		;
	if (i == r->n_cells)
		r->cells[r->n_cells++] = (struct mp_stackgrid_cell){ .at = (uint32_t)at };
	r->cells[i].sum += sum;
	r->cells[i].count += count;
}

static void coarsen_cells(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r, int factor)
{
	struct mp_stackgrid_row old = *r;
	size_t i;

	r->n_cells = 0;
	for (i = 0; i < old.n_cells; i++)
		add_cell(r,
			 mp_stackgrid_slot(
				 b, mp_stackgrid_floor_div(mp_stackgrid_bin_of(b, old.cells[i].at),
							   factor)),
			 old.cells[i].sum, old.cells[i].count);
}

/* Merges the bins of a row; `sums` and `counts` have room for all. */
static void coarsen_bins(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r, int factor,
			 double *sums, uint32_t *counts)
{
	size_t n = b->max;
	uint64_t i;

	memset(sums, 0, n * sizeof(*sums));
	memset(counts, 0, n * sizeof(*counts));
	for (i = 0; i <= (uint64_t)b->high - (uint64_t)b->low; i++) {
		int64_t bin = b->low + (int64_t)i;
		size_t from = mp_stackgrid_slot(b, bin),
		       to = mp_stackgrid_slot(b, mp_stackgrid_floor_div(bin, factor));

		sums[to] += r->sums[from];
		counts[to] += r->counts[from];
	}
	memcpy(r->sums, sums, n * sizeof(*sums));
	memcpy(r->counts, counts, n * sizeof(*counts));
}

static void weigh(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r)
{
	size_t i;

	r->weight = 0;
	for (i = 0; i < r->n_cells; i++)
		r->weight += mp_stackgrid_value(b, r->cells[i].sum, r->cells[i].count);
	for (i = 0; r->sums && i < b->max; i++)
		r->weight += mp_stackgrid_value(b, r->sums[i], r->counts[i]);
}

void mp_stackgrid_row_coarsen(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r,
			      int factor, double *sums, uint32_t *counts)
{
	if (r->sums)
		coarsen_bins(b, r, factor, sums, counts);
	else
		coarsen_cells(b, r, factor);
	weigh(b, r);
}

void mp_stackgrid_row_add_to(const struct mp_stackgrid_bins *b, const struct mp_stackgrid_row *r,
			     double *to)
{
	size_t i;

	for (i = 0; i < r->n_cells; i++)
		to[r->cells[i].at] += mp_stackgrid_value(b, r->cells[i].sum, r->cells[i].count);
	for (i = 0; r->sums && i < b->max; i++)
		to[i] += mp_stackgrid_value(b, r->sums[i], r->counts[i]);
}

/* Makes room for values in all bins. */
static void expand(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r)
{
	size_t i;

	r->sums = mp_zalloc(b->max * sizeof(*r->sums));
	r->counts = mp_zalloc(b->max * sizeof(*r->counts));
	for (i = 0; i < r->n_cells; i++) {
		r->sums[r->cells[i].at] = r->cells[i].sum;
		r->counts[r->cells[i].at] = r->cells[i].count;
	}
	r->n_cells = 0;
}

/* Adds a value to a bin; `sum` and `count` are those of the bin. */
static void add_value(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r, double *sum,
		      uint32_t *count, double y)
{
	double before = mp_stackgrid_value(b, *sum, *count);

	*sum += y;
	*count += *count < UINT32_MAX;
	r->weight += mp_stackgrid_value(b, *sum, *count) - before;
}

void mp_stackgrid_row_add(const struct mp_stackgrid_bins *b, struct mp_stackgrid_row *r, size_t at,
			  double y)
{
	size_t i;

	for (i = 0; i < r->n_cells; i++)
		if (r->cells[i].at == at) {
			add_value(b, r, &r->cells[i].sum, &r->cells[i].count, y);
			return;
		}
	if (!r->sums && r->n_cells < MP_STACKGRID_CELLS) {
		r->cells[r->n_cells++] = (struct mp_stackgrid_cell){ y, 1, (uint32_t)at };
		r->weight += y;
		return;
	}
	if (!r->sums)
		expand(b, r);
	add_value(b, r, &r->sums[at], &r->counts[at], y);
}

void mp_stackgrid_row_load(const struct mp_stackgrid_bins *b, const struct mp_stackgrid_row *r,
			   size_t n, double *sums, uint32_t *counts)
{
	size_t i;

	memset(sums, 0, n * sizeof(*sums));
	memset(counts, 0, n * sizeof(*counts));
	for (i = 0; r->sums && i < n; i++) {
		size_t at = mp_stackgrid_slot(b, b->low + (int64_t)i);

		sums[i] = r->sums[at];
		counts[i] = r->counts[at];
	}
	for (i = 0; i < r->n_cells; i++) {
		size_t bin = (size_t)(mp_stackgrid_bin_of(b, r->cells[i].at) - b->low);

		sums[bin] = r->cells[i].sum;
		counts[bin] = r->cells[i].count;
	}
}
