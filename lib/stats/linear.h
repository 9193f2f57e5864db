/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts numbers exactly in rows of equal width. The width is given or chosen. To choose it, counts
 * are kept for the least power of ten of at least 10^-6 (or of two, 2^-10) for which the numbers
 * need at most 2000 counts; mp_linear_rows() makes rows of these. The result depends on the numbers
 * alone, not on their order, and merging equals one pass. Includes loghist.
 */
#ifndef MP_STATS_LINEAR_H
#define MP_STATS_LINEAR_H

#include "lib/stats/loghist.h"

enum { MP_LINEAR_ROWS_MAX = 65536 };

struct mp_linear {
	double width; /* the given width; 0: it is to be chosen */
	bool binary;  /* the chosen width is a power of two, for bytes */
	int exponent; /* if the width is chosen: each count covers 10^exponent or 2^exponent */
	/* 10^exponent or 2^exponent as a whole number; 1 if the exponent is below 0 */
	int64_t by;
	/*
	 * there would be more than MP_LINEAR_ROWS_MAX rows, or rows beyond 2^63: there are no
	 * counts
	 */
	bool too_wide;
	int64_t first;	 /* index of the first count: it begins at first * width */
	size_t n;	 /* counts; neither the first nor the last is 0 */
	uint64_t total;	 /* sum of the counts */
	uint64_t *block; /* the allocated memory */
	size_t cap, at;	 /* index in `block` where the counts begin */
};

void mp_linear_init(struct mp_linear *l, double width, bool binary);
void mp_linear_release(struct mp_linear *l);

/*
 * Adds `weight` numbers of this value. A quotient within 1e-12 of a whole number counts as that
 * number: 0.3 is in the fourth row of width 0.1.
 */
void mp_linear_add(struct mp_linear *l, double value, uint64_t weight);

/*
 * Returns 0, or -1 if the given widths differ, or one width is a power of two and the other is not.
 */
int mp_linear_merge(struct mp_linear *to, const struct mp_linear *from);

/* Rows of a table: `counts[i]` numbers are in [(first + i) * width, (first + i + 1) * width). */
struct mp_linear_rows {
	double width;
	int64_t first;
	size_t n;
	uint64_t *counts; /* owned by the caller */
};

/*
 * Makes rows of the given width; or of the least width of 1, 2, 5, 10, 20 ... (1, 2, 4, 8 ...) that
 * needs at most `max` rows (at least 2), but not below 1 if all numbers are `whole`. Not to be
 * called if too_wide is set.
 */
void mp_linear_rows(const struct mp_linear *l, size_t max, bool whole, struct mp_linear_rows *rows);

/*
 * Writes and reads text like mp_loghist_write() and mp_loghist_read():
 * WIDTH:EXPONENT:INDEX*COUNT,..., with b before the exponent of a power of two; "WIDTH:x" if
 * too_wide.
 */
bool mp_linear_write(const struct mp_linear *l, size_t *cursor, struct mp_buf *to);
int mp_linear_read(struct mp_linear *l, struct mp_str text);

#endif
