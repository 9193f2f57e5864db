// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grid of mp-stackplot: points of a stream in bins. No weight is lost while bins and rows
 * merge.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/stackplot/stackgrid.h"
#include "lib/stream/rec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fill {
	struct mp_stackgrid grid;
	double sum, size; /* of the values, of their magnitudes */
};

static void add(struct fill *f, const struct mp_rec *rec)
{
	struct mp_str each = { "", 0 };

	if (rec->kind == MP_EVENT) {
		mp_stackgrid_add_at(&f->grid, rec->type, rec->body, (int64_t)rec->time_ns, 1);
		f->sum += 1;
		f->size += 1;
	} else if (rec->kind == MP_POINT && fabs(rec->y_value) < 1e100) {
		mp_stackgrid_add(&f->grid, rec->body, each, rec->x_value, rec->y_value);
		f->sum += rec->y_value;
		f->size += fabs(rec->y_value);
	}
}

static void check(struct fill *f, size_t top)
{
	struct mp_stackplot plot;
	size_t i, k;

	mp_stackgrid_finish(&f->grid, top, &plot);
	if (plot.n_bins > f->grid.style.bins || plot.n_layers > top + 1)
		abort();
	for (i = 0; i < plot.n_layers; i++)
		for (k = 0; k < plot.n_bins; k++)
			if (!(plot.layers[i].values[k] >= 0))
				abort();
	if (!f->grid.style.mean && f->grid.style.fill == MP_STACK_ZERO && !plot.negative &&
	    fabs(plot.area - f->sum) > 1e-6 * f->size)
		abort();
	mp_stackplot_release(&plot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data + 2, *end = (const char *)data + size, *lf, *why;
	struct fill f = { .sum = 0 };
	struct mp_rec rec;

	if (size < 2)
		return 0;
	mp_stackgrid_init(&f.grid,
			  &(struct mp_stackgrid_style){ .bins = 10 + (data[0] & 63),
							.rows = 1 + (data[1] & 7),
							.mean = data[0] & 64,
							.fill = data[0] & 128 ? MP_STACK_CARRY
									      : MP_STACK_ZERO });
	if (data[1] & 8)
		mp_stackgrid_wide(&f.grid, pow(10, (data[1] >> 4) - 9));
	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1)
		if (mp_rec_parse(&rec, p, lf - p, &why) == 0 && mp_rec_check(&rec, &why) == 0)
			add(&f, &rec);
	if (data[1] & 128)
		mp_stackgrid_merge_sparse(&f.grid);
	if (f.grid.n)
		check(&f, 1 + (data[1] & 3));
	mp_stackgrid_release(&f.grid);
	return 0;
}
