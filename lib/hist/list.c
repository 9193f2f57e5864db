// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/list.h"

#include <stdlib.h>

#include "lib/hist/stat.h"

static int by_name(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	return mp_str_cmp(x->entry->key, y->entry->key);
}

static int by_count(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return by_name(a, b);
}

static int by_rank(const void *a, const void *b)
{
	const struct mp_dist_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return by_name(a, b);
}

/* The statistic of this order; of counts it is their first sum. */
static double rank_of(const struct mp_dist *dist, enum mp_dist_order order, bool counting)
{
	static const enum mp_stat stats[] = {
		[MP_DIST_BY_SUM] = MP_STAT_SUM,
		[MP_DIST_BY_MIN] = MP_STAT_MIN,
		[MP_DIST_BY_MEAN] = MP_STAT_MEAN,
		[MP_DIST_BY_P50] = MP_STAT_P50,
		[MP_DIST_BY_STDDEV] = MP_STAT_STDDEV,
		[MP_DIST_BY_P90] = MP_STAT_P90,
		[MP_DIST_BY_P99] = MP_STAT_P99,
		[MP_DIST_BY_P999] = MP_STAT_P999,
		[MP_DIST_BY_MAX] = MP_STAT_MAX,
		[MP_DIST_BY_OVER] = MP_STAT_OVER,
		[MP_DIST_BY_OVER_SHARE] = MP_STAT_OVER_SHARE,
	};

	return counting ? dist->sums[0] : mp_dist_stat_of(stats[order], dist, false);
}

/* Sorts the rows, and merges those from `top` on into one. */
static void keep_top(const struct mp_dists *d, struct mp_dist_list *list, size_t top,
		     int (*order)(const void *, const void *))
{
	struct mp_dist *other = &list->other;
	size_t i, k;

	qsort(list->rows, list->n, sizeof(*list->rows), order);
	for (i = top; i < list->n; i++) {
		const struct mp_dist *dist = mp_dist_list_at(list, i);

		other->n += dist->n;
		for (k = 0; k < d->sums.n; k++)
			other->sums[k] += dist->sums[k];
		if (d->counting)
			continue;
		other->over.n += dist->over.n;
		other->over.of += dist->over.of;
		mp_loghist_merge(&other->hist, &dist->hist);
		if (d->linear)
			mp_linear_merge(&other->linear, &dist->linear);
	}
	list->others += i - top;
	list->n = top;
}

void mp_dists_list(const struct mp_dists *d, enum mp_dist_order order, size_t top,
		   struct mp_dist_list *list)
{
	bool ranked = d->counting ? order == MP_DIST_BY_SUM && d->sums.n
				  : order != MP_DIST_BY_COUNT && order != MP_DIST_BY_NAME;
	int (*compare)(const void *, const void *) = ranked			? by_rank
						     : order == MP_DIST_BY_NAME ? by_name
										: by_count;
	const struct mp_map_entry *e;
	size_t room;

	if (top == 0 || top > d->map.n)
		top = d->map.n;
	room = MP_MIN(d->map.n, 2 * top);
	*list = (struct mp_dist_list){ .total = d->total, .counting = d->counting };
	list->rows = mp_alloc(room * sizeof(*list->rows));
	if (d->counting)
		list->other.sums = mp_zalloc(d->sums.n * sizeof(*list->other.sums));
	else
		mp_linear_init(&list->other.linear, d->width, d->binary);
	mp_map_each (&d->map, e) {
		const struct mp_dist *dist = mp_map_value(e);
		struct mp_dist_row *row;

		if (dist->bad || dist->n == 0)
			continue;
		if (list->n == room)
			keep_top(d, list, top, compare);
		row = &list->rows[list->n++];
		row->entry = e;
		if (ranked)
			row->rank = rank_of(dist, order, d->counting);
		else
			row->n = dist->n;
	}
	keep_top(d, list, MP_MIN(top, list->n), compare);
}

void mp_dist_list_release(struct mp_dist_list *list)
{
	free(list->rows);
	if (list->counting) {
		free(list->other.sums);
		return;
	}
	mp_loghist_release(&list->other.hist);
	mp_linear_release(&list->other.linear);
}
