// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/dist.h"

#include <stdlib.h>

#include "lib/hist/output.h"
#include "lib/stream/esc.h"

/* Stands for a missing field, as in lib/fold/fold.c: no value contains LF. */
static const struct mp_str missing = { "\n", 1 };
static const struct mp_str no_key = { "", 0 };

void mp_dists_init(struct mp_dists *d)
{
	mp_map_init(&d->map, d->counting ? offsetof(struct mp_dist, hist) : sizeof(struct mp_dist));
	d->parts = mp_alloc(MP_MAX(d->by->n, (size_t)1) * sizeof(*d->parts));
	d->total = 0;
	d->overflow = false;
}

static void release_values(struct mp_dists *d)
{
	struct mp_map_entry *e;

	if (d->counting)
		return;
	mp_map_each (&d->map, e) {
		struct mp_dist *dist = mp_map_value(e);

		mp_loghist_release(&dist->hist);
		mp_linear_release(&dist->linear);
	}
}

void mp_dists_release(struct mp_dists *d)
{
	release_values(d);
	mp_map_release(&d->map);
	free(d->parts);
	d->parts = NULL;
}

void mp_dists_clear(struct mp_dists *d)
{
	release_values(d);
	mp_map_clear(&d->map);
	d->total = 0;
}

static bool bad_escape(const struct mp_str *parts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (parts[i].p != missing.p && mp_esc_check(parts[i]) < 0)
			return true;
	return false;
}

struct mp_dist *mp_dists_at(struct mp_dists *d, const struct mp_rec *rec,
			    const struct mp_fields *fields, const char **why)
{
	struct mp_map_entry *e = d->map.first;
	struct mp_dist *dist;
	bool fresh = false;
	size_t n = fields->n, i;

	if (n && mp_rec_names(rec, fields, d->parts) < n)
		for (i = 0; i < n; i++)
			if (!d->parts[i].p)
				d->parts[i] = missing;
	if (n)
		e = mp_map_put(&d->map, d->parts, n, &fresh);
	else if (!e)
		e = mp_map_put(&d->map, &no_key, 1, &fresh);
	dist = mp_map_value(e);
	if (fresh) {
		dist->bad = bad_escape(d->parts, n);
		if (!d->counting)
			mp_linear_init(&dist->linear, d->width, d->binary);
	}
	if (!dist->bad)
		return dist;
	*why = "bad escape or control byte";
	return NULL;
}

void mp_dist_add(struct mp_dists *d, struct mp_dist *to, double value, uint64_t weight)
{
	uint64_t total;

	if (__builtin_add_overflow(d->total, weight, &total)) {
		d->overflow = true;
		return;
	}
	d->total = total;
	to->n += weight;
	if (d->counting)
		return;
	mp_loghist_add(&to->hist, value, weight);
	if (d->linear)
		mp_linear_add(&to->linear, value, weight);
}

bool mp_dist_next_value(struct mp_str *rest, struct mp_str *value)
{
	const char *tab = memchr(rest->p, '\t', rest->len);

	*value = (struct mp_str){ rest->p, tab ? (size_t)(tab - rest->p) : rest->len };
	rest->p += value->len + !!tab;
	rest->len -= value->len + !!tab;
	return !mp_str_eq(*value, missing);
}

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

/* Sorts the rows by the statistic of this order. */
static void sort_by_rank(struct mp_dist_list *list, enum mp_dist_order order)
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
		list->rows[i].rank = mp_dist_stat_of(stats[order], list->rows[i].dist, false);
	qsort(list->rows, list->n, sizeof(*list->rows), by_rank);
}

static void merge_other(const struct mp_dists *d, struct mp_dist_list *list, size_t from)
{
	size_t i;

	if (!d->counting)
		mp_linear_init(&list->other.linear, d->width, d->binary);
	for (i = from; i < list->n; i++) {
		const struct mp_dist *dist = list->rows[i].dist;

		list->other.n += dist->n;
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
	else if (order == MP_DIST_BY_COUNT || d->counting)
		qsort(list->rows, list->n, sizeof(*list->rows), by_count);
	else
		sort_by_rank(list, order);
	if (top && top < list->n)
		merge_other(d, list, top);
}

void mp_dist_list_release(struct mp_dist_list *list)
{
	free(list->rows);
	mp_loghist_release(&list->other.hist);
	mp_linear_release(&list->other.linear);
}
