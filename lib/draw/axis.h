/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Axes of pictures: the place of a value, and ticks at round values whose labels do not overlap.
 * Includes str, unit.
 */
#ifndef MP_DRAW_AXIS_H
#define MP_DRAW_AXIS_H

#include "lib/core/str.h"
#include "lib/stream/unit.h"

enum mp_axis_kind {
	MP_AXIS_LINEAR,
	/*
	 * ticks at decades; for bytes at powers of two; for ns above a minute at 1 and 10 min, 1 h,
	 * 1 and 10 d
	 */
	MP_AXIS_LOG,
	/* ns since a start, which is 0: "250 ms", "12 s", "1:30", "2:00:00", "1 d 6 h" */
	MP_AXIS_TIME,
};

struct mp_axis {
	enum mp_axis_kind kind;
	double low, high; /* low < high; MP_AXIS_LOG: both above 0 */
	const char *unit; /* LINEAR, LOG: the unit of low and high, as in unit.h; borrowed */
};

struct mp_tick {
	double value;
	double at;		 /* its place, from 0 (low) to 1 (high) */
	bool minor;		 /* a line without a label */
	char label[MP_UNIT_MAX]; /* the label with its unit, "" if minor */
};

enum { MP_TICKS_MAX = 160 };

/*
 * Converts a value to its place, from 0 to 1 (less or more outside the axis), and a place to its
 * value.
 */
double mp_axis_at(const struct mp_axis *a, double value);
double mp_axis_value(const struct mp_axis *a, double at);

/*
 * Makes ticks, in ascending order, in `ticks`, which has room for MP_TICKS_MAX. Returns how many.
 * The axis is `length` px long. Its labels are side by side (`upright` false: a horizontal axis) or
 * one above the other, in a font of `font_px`. There are as many labels as fit and look good, and
 * at least two if two fit.
 */
size_t mp_axis_ticks(const struct mp_axis *a, double length, bool upright, double font_px,
		     struct mp_tick *ticks);

/* Writes a duration in ns, or a time since the start, in the unit of a time axis, exactly. */
void mp_axis_put_time(char to[MP_UNIT_MAX], double ns);

/*
 * For n categories that are `spacing` px apart, with labels `need` px wide (or high): 1 if all
 * labels fit, 2 if every second one fits, and so on.
 */
size_t mp_axis_label_every(size_t n, double spacing, double need);

#endif
