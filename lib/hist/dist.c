// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/dist.h"

#include <stdlib.h>

#include "lib/stream/esc.h"

/* Stands for a missing field, as in lib/fold/fold.c: no value contains LF. */
static const struct mp_str missing = { "\n", 1 };
static const struct mp_str no_key = { "", 0 };

void mp_dists_init(struct mp_dists *d)
{
	size_t counts = offsetof(struct mp_dist, sums) + (d->sums.n ? sizeof(double *) : 0);

	mp_map_init(&d->map, d->counting ? counts
			     : d->linear ? sizeof(struct mp_dist)
					 : offsetof(struct mp_dist, linear));
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
		if (d->linear)
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
		if (d->sums.n) {
			dist->sums = mp_arena_alloc(&d->map.arena, d->sums.n * sizeof(*dist->sums));
			memset(dist->sums, 0, d->sums.n * sizeof(*dist->sums));
		}
		if (d->linear && !d->counting)
			mp_linear_init(&dist->linear, d->width, d->binary);
	}
	if (!dist->bad)
		return dist;
	*why = "bad escape or control byte";
	return NULL;
}

void mp_dist_add(struct mp_dists *d, struct mp_dist *to, double value, const double *terms,
		 uint64_t weight)
{
	uint64_t total;
	size_t i;

	if (__builtin_add_overflow(d->total, weight, &total)) {
		d->overflow = true;
		return;
	}
	d->total = total;
	to->n += weight;
	for (i = 0; i < d->sums.n; i++)
		to->sums[i] += terms[i] * (double)weight;
	if (d->counting)
		return;
	if (d->has_over) {
		to->over.n += value >= d->over ? weight : 0;
		to->over.of += weight;
	}
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
