/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes distributions and counts by key as aligned text, TSV, JSON, or points of mp-stream(5).
 * Names are escaped as each form needs. Includes list, stat, io.
 */
#ifndef MP_HIST_OUTPUT_H
#define MP_HIST_OUTPUT_H

#include "lib/core/io.h"
#include "lib/hist/list.h"
#include "lib/hist/stat.h"

enum { MP_DIST_SUMS_MAX = MP_STATS_ALWAYS - 2 }; /* as many as text has columns for */

struct mp_dist_style {
	const struct mp_fields *by;
	bool counting;
	bool has_over; /* with how many numbers are at or above `over` */
	double over;
	bool linear;
	bool summary;	      /* a line for each key, no tables */
	size_t rows;	      /* maximum for a linear table whose width is chosen */
	struct mp_str field;  /* what is measured */
	struct mp_str weight; /* p == NULL: each record counts 1 */
	const char *unit, *weight_unit;
	const struct mp_fields *sums; /* with counting: the fields of the sums */
	char *const *sum_units;
	size_t columns;	  /* width of the text */
	bool truncate;	  /* text: truncate names to that width */
	const char *time; /* name of the interval, or NULL */
	uint64_t time_ns; /* start of the interval, on the stream's clock */
	/* for points: which statistics are written, a bit for each enum mp_stat */
	unsigned stats;
};

void mp_dist_write_text(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out);

/* Writes the line of column names. */
void mp_dist_write_tsv_names(const struct mp_dist_style *style, struct mp_out *out);
void mp_dist_write_tsv(const struct mp_dist_list *list, const struct mp_dist_style *style,
		       struct mp_out *out);

/* Writes a line for each key. */
void mp_dist_write_json(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out);

/* Writes a line for each key and statistic. Returns the number of lines. */
uint64_t mp_dist_write_points(const struct mp_dist_list *list, const struct mp_dist_style *style,
			      struct mp_out *out);

/* --- for the functions above ------------------------------------------------------------------ */

/* The number of statistics that are written: the first ones of enum mp_stat. */
static inline enum mp_stat mp_dist_stats(const struct mp_dist_style *style)
{
	return style->has_over ? MP_STATS : MP_STATS_ALWAYS;
}

/* One row of a table. */
struct mp_dist_bucket {
	double low, high;
	int sign; /* 1: low <= v < high; -1: low < v <= high; 0: v = 0 */
	uint64_t n;
};

/*
 * The rows of a table, from the least number to the greatest, with the empty ones between them, in
 * an array that the caller frees. Rows of equal width if style->linear is set, else powers of two.
 */
struct mp_dist_bucket *mp_dist_buckets(const struct mp_dist *dist,
				       const struct mp_dist_style *style, size_t *n);

/* The rows that are not empty, as mp_dist_buckets(). */
struct mp_dist_bucket *mp_dist_filled_buckets(const struct mp_dist *dist,
					      const struct mp_dist_style *style, size_t *n);

enum mp_dist_form {
	MP_DIST_STREAM,	  /* with the escapes of the stream */
	MP_DIST_TERMINAL, /* safe for a terminal */
	MP_DIST_CELL,	  /* a cell of TAB-separated values */
};

/*
 * Splits the next value off a key and writes it, for `field`: "[no FIELD]" if it is missing,
 * "[other]" if key->p is NULL.
 */
void mp_dist_put_value(struct mp_buf *to, const struct mp_field *field, struct mp_str *key,
		       enum mp_dist_form form);

#endif
