/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a timeline shows as bytes, which lib/timeline/model.js and tests/tools/timeline.py read.
 * Includes timeline.
 *
 * There are four parts:
 *
 *	names    a JSON object of arrays: "rows", "types"; "labels" and "categories", which are
 *	         [type, label], the latter -1 if there is none; "series", the counters, [row, type];
 *	         "keys", the names of fields; "shapes", arrays of keys; "lost", [from, to, number]
 *	values   a JSON array: the distinct values of fields
 *	stacks   a JSON array: the distinct stacks
 *	numbers  columns, one after the other, of what is listed below
 *
 * Numbers have seven bits in each byte, the lowest ones first; the eighth bit is set if a byte
 * follows. Times are ns since the begin of the picture. A signed number n is written as 2n, or
 * -2n - 1 below 0. The columns are
 *
 *	for each row: how many spans and instants are drawn one by one (singles); then for these, in
 *	the order of rows and of begins: begin, less that of the one before in the row; duration + 1,
 *	or 0 for an instant; 2 * category, + 1 if it is marked; shape; stack + 1, or 0
 *
 *	for each key, for each single whose shape has the key: number of the value
 *
 *	for each arrow: from when, less that of the arrow before; to when, less from when, signed; the
 *	row that it leads from; the row that it leads to; its single + 1, or 0
 *
 *	the levels, and then the counters: the number of their groups; for each group: row, or series;
 *	category; number of cells; then for all cells: number of the bin (since the begin), less that
 *	of the cell before in the group; the numbers of spans that begin in them, or of values; the
 *	ns that are covered, or the sum of the values, signed
 */
#ifndef MP_TIMELINE_TIMELINEDATA_H
#define MP_TIMELINE_TIMELINEDATA_H

#include "lib/timeline/timeline.h"

enum { MP_TIMELINEDATA_PARTS = 4 };

/* Frees the fields of singles. */
void mp_timelinedata_make(struct mp_buf parts[MP_TIMELINEDATA_PARTS], struct mp_timeline *t);

#endif
