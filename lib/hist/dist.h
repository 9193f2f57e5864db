/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions, or plain counts, by key: the values of some fields of a record. Memory grows with
 * distinct keys: 150 bytes and the key for a count, 0.6 to 27 KiB for a distribution. Includes hist,
 * linear, map, rec.
 */
#ifndef MP_HIST_DIST_H
#define MP_HIST_DIST_H

#include "lib/stats/loghist.h"
#include "lib/stats/linear.h"
#include "lib/core/map.h"
#include "lib/stream/rec.h"

struct mp_dist {
	uint64_t n; /* sum of the weights */
	bool bad;   /* its key has a bad escape */
	/* not where only counts are kept */
	struct mp_loghist hist;
	struct mp_linear linear; /* only if wanted */
};

struct mp_dists {
	const struct mp_fields *by; /* of the key; borrowed */
	bool counting;		    /* only counts */
	bool linear;		    /* rows of equal width besides */
	bool binary;		    /* their width is a power of two, if it is found */
	double width;		    /* of these, see linear.h */
	struct mp_map map;    /* key -> struct mp_dist; the one record without a key has none */
	struct mp_str *parts; /* by->n, or 1 */
	uint64_t total;	      /* sum of all n */
	bool overflow;	      /* it would leave 64 bits: what came then was not added */
};

/* `by`, `counting`, `linear` and `width` are set by the caller before. */
void mp_dists_init(struct mp_dists *d);
void mp_dists_release(struct mp_dists *d);
void mp_dists_clear(struct mp_dists *d);

/*
 * The distribution that a record belongs to; `fields` names the key in it (usually d->by). A
 * missing field has a value of its own. NULL with `*why` if a value has a bad escape.
 */
struct mp_dist *mp_dists_at(struct mp_dists *d, const struct mp_rec *rec,
			    const struct mp_fields *fields, const char **why);

/* `weight` numbers, or with `counting` `weight` more. */
void mp_dist_add(struct mp_dists *d, struct mp_dist *to, double value, uint64_t weight);

/*
 * The next value of a key, in the order of the fields: cuts it off `*rest`, which begins as the
 * key. False if the record had no such field.
 */
bool mp_dist_next_value(struct mp_str *rest, struct mp_str *value);

enum mp_dist_order {
	MP_DIST_BY_COUNT, /* greatest first, then by bytes */
	MP_DIST_BY_SUM,
	MP_DIST_BY_NAME, /* by bytes */
};

struct mp_dist_row {
	struct mp_str key;
	const struct mp_dist *dist;
};

/* What is to be shown: the first ones, and the others merged. */
struct mp_dist_list {
	struct mp_dist_row *rows;
	size_t n;
	size_t others; /* how many are in `other` */
	struct mp_dist other;
	uint64_t total; /* of all */
};

/* `top` 0: all. The list is borrowed from `d` in parts: valid until it changes. */
void mp_dists_list(const struct mp_dists *d, enum mp_dist_order order, size_t top,
		   struct mp_dist_list *list);
void mp_dist_list_release(struct mp_dist_list *list);

#endif
