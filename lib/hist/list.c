// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/list.h"

#include <stdlib.h>

#include "lib/hist/stat.h"

static int by_name(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	return mp_str_cmp(x->key, y->key);
}

static int by_count(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	if (x->dist->n != y->dist->n)
		return x->dist->n > y->dist->n ? -1 : 1;
	return by_name(a, b);
}

static int by_rank(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return by_name(a, b);
}

/* Sorts the rows by the statistic of this order, or counts by their first sum. */
static void sort_by_rank(struct mp_dist_list *list, enum mp_dist_order order, bool counting)
{
	static const enum mp_stat stats[] = {
		[MP_DIST_BY_SUM] = MP_STAT_SUM,	      [MP_DIST_BY_MIN] = MP_STAT_MIN,
		[MP_DIST_BY_MEAN] = MP_STAT_MEAN,     [MP_DIST_BY_P50] = MP_STAT_P50,
		[MP_DIST_BY_STDDEV] = MP_STAT_STDDEV, [MP_DIST_BY_P90] = MP_STAT_P90,
		[MP_DIST_BY_P99] = MP_STAT_P99,	      [MP_DIST_BY_P999] = MP_STAT_P999,
		[MP_DIST_BY_MAX] = MP_STAT_MAX,
	};
	size_t i;

	for (i = 0; i < list->n; i++)
		list->rows[i].rank =
			counting ? list->rows[i].dist->sums[0]
				 : mp_dist_stat_of(stats[order], list->rows[i].dist, false);
	qsort(list->rows, list->n, sizeof(*list->rows), by_rank);
}

static void merge_other(const struct mp_dists *d, struct mp_dist_list *list, size_t from)
{
	size_t i, k;

	list->other.sums = mp_zalloc((d->sums.n + 1) * sizeof(*list->other.sums));
	if (!d->counting)
		mp_linear_init(&list->other.linear, d->width, d->binary);
	for (i = from; i < list->n; i++) {
		const struct mp_dist *dist = list->rows[i].dist;

		list->other.n += dist->n;
		for (k = 0; k < d->sums.n; k++)
			list->other.sums[k] += dist->sums[k];
		if (d->counting)
			continue;
		mp_loghist_merge(&list->other.hist, &dist->hist);
		if (d->linear)
			mp_linear_merge(&list->other.linear, &dist->linear);
	}
	list->others = list->n - from;
	list->n = from;
}

void mp_dists_list(const struct mp_dists *d, enum mp_dist_order order, size_t top,
		   struct mp_dist_list *list)
{
	const struct mp_map_entry *e;

	*list = (struct mp_dist_list){ .total = d->total };
	list->rows = mp_alloc(d->map.n * sizeof(*list->rows));
	mp_map_each (&d->map, e) {
		const struct mp_dist *dist = mp_map_value(e);

		if (dist->bad || dist->n == 0)
			continue;
		list->rows[list->n++] = (struct mp_dist_row){ e->key, dist, 0 };
	}
	if (order == MP_DIST_BY_NAME)
		qsort(list->rows, list->n, sizeof(*list->rows), by_name);
	else if (d->counting ? order != MP_DIST_BY_SUM || !d->sums.n : order == MP_DIST_BY_COUNT)
		qsort(list->rows, list->n, sizeof(*list->rows), by_count);
	else
		sort_by_rank(list, order, d->counting);
	if (top && top < list->n)
		merge_other(d, list, top);
}

void mp_dist_list_release(struct mp_dist_list *list)
{
	free(list->rows);
	free(list->other.sums);
	mp_loghist_release(&list->other.hist);
	mp_linear_release(&list->other.linear);
}
