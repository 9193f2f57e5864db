// SPDX-License-Identifier: GPL-2.0-only
/* The rows and the keys of a distribution, for all forms of output. */
#include <math.h>
#include <stdlib.h>

#include "lib/hist/output.h"
#include "lib/stream/cell.h"
#include "lib/stream/esc.h"

static struct mp_dist_bucket *linear_rows(const struct mp_dist *dist,
					  const struct mp_dist_style *style, size_t *n)
{
	struct mp_linear_rows rows;
	struct mp_dist_bucket *v;
	size_t i;

	mp_linear_rows(&dist->linear, style->rows, !dist->hist.fraction, &rows);
	v = mp_zalloc(rows.n * sizeof(*v));
	for (i = 0; i < rows.n; i++)
		v[i] = (struct mp_dist_bucket){ (double)(rows.first + (int64_t)i) * rows.width,
						(double)(rows.first + (int64_t)i + 1) * rows.width,
						1, rows.counts[i] };
	*n = rows.n;
	free(rows.counts);
	return v;
}

/* The rows of a side begin at 1 if all numbers are whole, and some are 0 or on the other side. */
struct mp_dist_bucket *mp_dist_buckets(const struct mp_dist *dist,
				       const struct mp_dist_style *style, size_t *n)
{
	const struct mp_loghist *h = &dist->hist;
	struct mp_dist_bucket *v;
	bool plus, minus, zero = mp_loghist_zeros(h) > 0;
	int low, high, least, greatest, e;

	if (style->linear)
		return linear_rows(dist, style, n);
	plus = mp_loghist_span(h, false, &low, &high);
	minus = mp_loghist_span(h, true, &least, &greatest);
	if ((zero || minus) && plus && !h->fraction)
		low = 0;
	if ((zero || plus) && minus && !h->fraction)
		least = 0;
	zero |= plus && minus;
	*n = 0;
	v = mp_zalloc(((minus ? greatest - least + 1 : 0) + zero + (plus ? high - low + 1 : 0)) *
		      sizeof(*v));
	for (e = greatest; minus && e >= least; e--)
		v[(*n)++] = (struct mp_dist_bucket){ -ldexp(1, e + 1), -ldexp(1, e), -1,
						     mp_loghist_log2(h, e, true) };
	if (zero)
		v[(*n)++] = (struct mp_dist_bucket){ 0, 0, 0, mp_loghist_zeros(h) };
	for (e = low; plus && e <= high; e++)
		v[(*n)++] = (struct mp_dist_bucket){ ldexp(1, e), ldexp(1, e + 1), 1,
						     mp_loghist_log2(h, e, false) };
	return v;
}

struct mp_dist_bucket *mp_dist_filled_buckets(const struct mp_dist *dist,
					      const struct mp_dist_style *style, size_t *n)
{
	size_t all, i;
	struct mp_dist_bucket *v = mp_dist_buckets(dist, style, &all);

	for (i = *n = 0; i < all; i++)
		if (v[i].n)
			v[(*n)++] = v[i];
	return v;
}

void mp_dist_put_value(struct mp_buf *to, const struct mp_field *field, struct mp_str *key,
		       enum mp_dist_form form)
{
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_str value;

	if (!key->p)
		mp_buf_printf(to, "[other]");
	else if (!mp_dist_next_value(key, &value))
		mp_buf_printf(to, "[no %.*s]", MP_STR_ARGS(field->name));
	else if (form == MP_DIST_TERMINAL)
		mp_esc_terminal(to, value);
	else if (form == MP_DIST_CELL)
		mp_cell_tsv(to, mp_esc_decode(&raw, value));
	else
		mp_buf_str(to, value);
	mp_buf_release(&raw);
}
