/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of distributions in the order in which they are shown, and the rest as one. Includes dist. */
#ifndef MP_HIST_LIST_H
#define MP_HIST_LIST_H

#include "lib/hist/dist.h"

enum mp_dist_order {
	MP_DIST_BY_COUNT, /* greatest first, then in the order of bytes; so are those below */
	MP_DIST_BY_SUM,
	MP_DIST_BY_NAME, /* names in the order of bytes */
	MP_DIST_BY_MIN,
	MP_DIST_BY_MEAN,
	MP_DIST_BY_STDDEV,
	MP_DIST_BY_P50,
	MP_DIST_BY_P90,
	MP_DIST_BY_P99,
	MP_DIST_BY_P999,
	MP_DIST_BY_MAX,
	MP_DIST_BY_OVER,
	MP_DIST_BY_OVER_SHARE,
};

struct mp_dist_row {
	const struct mp_map_entry *entry;
	union { /* that by which the rows are sorted, unless that is the name */
		uint64_t n;
		double rank;
	};
};

/* The rows to be shown, and one row that combines all others. */
struct mp_dist_list {
	struct mp_dist_row *rows;
	size_t n;
	size_t others; /* how many keys are combined in `other` */
	struct mp_dist other;
	uint64_t total; /* sum of the weights of all keys */
	bool counting;	/* only counts are kept */
};

/* The distribution of a row; that of `other` for i == n. */
static inline const struct mp_dist *mp_dist_list_at(const struct mp_dist_list *list, size_t i)
{
	return i < list->n ? mp_map_value(list->rows[i].entry) : &list->other;
}

/* The key of a row; p == NULL for `other`. */
static inline struct mp_str mp_dist_list_key(const struct mp_dist_list *list, size_t i)
{
	return i < list->n ? list->rows[i].entry->key : (struct mp_str){ NULL, 0 };
}

/*
 * Makes the list of the first `top` keys (0: all). It points into `d`, and is valid until `d`
 * changes. If only counts are kept, the order by sum is that of the first
 * of `sums`; every other one but that by name is the one by count.
 */
void mp_dists_list(const struct mp_dists *d, enum mp_dist_order order, size_t top,
		   struct mp_dist_list *list);
void mp_dist_list_release(struct mp_dist_list *list);

#endif
