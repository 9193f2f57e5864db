/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects distributions, or plain counts, by key. The key is made of the values of some fields of
 * a record. Memory grows with distinct keys: 110 bytes and the key for a count, 150 bytes to 27 KiB
 * for a distribution. Includes loghist, linear, map, rec.
 */
#ifndef MP_HIST_DIST_H
#define MP_HIST_DIST_H

#include "lib/core/map.h"
#include "lib/stats/linear.h"
#include "lib/stats/loghist.h"
#include "lib/stream/rec.h"

/* How many numbers are at or above mp_dists.over. */
struct mp_over {
	uint64_t n;
	uint64_t of; /* how many were compared */
};

struct mp_dist {
	uint64_t n; /* sum of the weights */
	bool bad;   /* the key has a bad escape */
	union {
		/* with counting, those of mp_dists.sums in their order; not allocated without them */
		double *sums;
		struct {
			struct mp_over over;
			struct mp_loghist hist;
			struct mp_linear linear; /* allocated only if mp_dists.linear is set */
		};
	};
};

struct mp_dists {
	const struct mp_fields *by; /* fields of the key; borrowed */
	bool counting;		    /* keep counts only, no distributions */
	struct mp_fields sums;	    /* with counting: fields of which sums are kept */
	bool has_over;		    /* also count the numbers of at least `over` */
	double over;
	bool linear;	      /* also keep rows of equal width */
	bool binary;	      /* if the width is chosen, it is a power of two */
	double width;	      /* width of the rows, see linear.h */
	struct mp_map map;    /* key -> struct mp_dist; without `by` one entry with an empty key */
	struct mp_str *parts; /* by->n, or 1 */
	uint64_t total;	      /* sum of all n */
	bool overflow;	      /* the total exceeds 64 bits: later records were not added */
};

/* The caller has set the members from `by` to `width`. */
void mp_dists_init(struct mp_dists *d);
void mp_dists_release(struct mp_dists *d);
void mp_dists_clear(struct mp_dists *d);

/*
 * The distribution of a record; `fields` are those of the key in this record (usually d->by). A
 * missing field counts as a value of its own. Returns NULL with `*why` if a value has a bad escape.
 */
struct mp_dist *mp_dists_at(struct mp_dists *d, const struct mp_rec *rec,
			    const struct mp_fields *fields, const char **why);

/*
 * Adds `weight` numbers of this value, or with `counting` only the weight, and to the sums `terms`
 * as often.
 */
void mp_dist_add(struct mp_dists *d, struct mp_dist *to, double value, const double *terms,
		 uint64_t weight);

/*
 * Cuts the next value, in the order of the fields, off `*rest`, which is the key at first. Returns
 * false if the record had no such field.
 */
bool mp_dist_next_value(struct mp_str *rest, struct mp_str *value);

#endif
