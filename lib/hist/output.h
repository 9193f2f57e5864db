/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions and counts by key, written: as text for people, TSV, JSON, or points of
 * mp-stream(5). Names are escaped for where they go. Includes dist, io.
 */
#ifndef MP_HIST_OUTPUT_H
#define MP_HIST_OUTPUT_H

#include "lib/hist/dist.h"
#include "lib/core/io.h"

/* What can be told of a distribution, as bits. */
enum mp_stat {
	MP_STAT_COUNT,
	MP_STAT_SUM,
	MP_STAT_MIN,
	MP_STAT_MEAN,
	MP_STAT_STDDEV,
	MP_STAT_P50,
	MP_STAT_P90,
	MP_STAT_P99,
	MP_STAT_P999,
	MP_STAT_MAX,
	MP_STATS,
};

/* "count", "p99.9" */
const char *mp_dist_stat_name(enum mp_stat stat);
double mp_dist_stat_of(enum mp_stat stat, const struct mp_dist *dist, bool counting);

struct mp_dist_style {
	const struct mp_fields *by;
	bool counting;
	bool linear;
	bool summary;	      /* a line for each key, no tables */
	size_t rows;	      /* at most, of a linear table whose width is found */
	struct mp_str field;  /* what is measured */
	struct mp_str weight; /* p == NULL: each counts 1 */
	const char *unit, *weight_unit;
	size_t columns;	  /* width of the text */
	bool cut;	  /* text: names are cut at that width */
	const char *time; /* name of the interval, or NULL */
	uint64_t time_ns; /* its beginning, on the stream's clock */
	unsigned stats;	  /* points: bits of enum mp_stat */
};

void mp_dist_write_text(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out);

/* The line of names at the top. */
void mp_dist_write_tsv_names(const struct mp_dist_style *style, struct mp_out *out);
void mp_dist_write_tsv(const struct mp_dist_list *list, const struct mp_dist_style *style,
		       struct mp_out *out);

/* A line for each key. */
void mp_dist_write_json(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out);

/* Returns the number of lines. */
uint64_t mp_dist_write_points(const struct mp_dist_list *list, const struct mp_dist_style *style,
			      struct mp_out *out);

/* For all of the above: one row of a table. */
struct mp_dist_bucket {
	double low, high;
	int sign; /* 1: low <= v < high; -1: low < v <= high; 0: v = 0 */
	uint64_t n;
};

/*
 * The rows of a table, from the least number to the greatest, empty ones between them too; in an
 * array that the caller frees. Linear if the style says so, else powers of two.
 */
struct mp_dist_bucket *mp_dist_buckets(const struct mp_dist *dist,
				       const struct mp_dist_style *style, size_t *n);

#endif
