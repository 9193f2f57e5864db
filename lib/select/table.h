/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as a table: TAB-separated values below a line of names, or a JSON object for each event.
 * Memory does not grow with the input. Includes ctl, io, map, project.
 *
 * The columns are TIME, TYPE, and the fields given by --fields. Without --fields they are the
 * fields that headers list for the events that are kept, and those that the first events have.
 */
#ifndef MP_SELECT_TABLE_H
#define MP_SELECT_TABLE_H

#include <jansson.h>

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/select/project.h"

/* What the values of a column are; what becomes of them is in table.c. */
enum mp_table_type {
	MP_TABLE_UNKNOWN, /* a number if the value is one */
	MP_TABLE_NUMBER,
	MP_TABLE_HEX,	  /* at most 32 bits, in hexadecimal */
	MP_TABLE_NUMBERS, /* separated by commas */
	MP_TABLE_TEXT,
	MP_TABLE_STACK,
};

struct mp_table_column {
	struct mp_str name;
	enum mp_table_type type;
	struct mp_str value; /* that of the current event, escaped; p NULL: it has none */
	size_t next;	     /* the column of the field that followed in an earlier event */
};

struct mp_table {
	struct mp_out *out;
	const struct mp_project *keep;
	bool json;
	bool named; /* --fields gives the columns */
	bool begun; /* the names are written, and the columns stay as they are */
	struct mp_table_column *columns;
	size_t n, cap;
	struct mp_map names; /* name -> index in `columns`, size_t */
	struct mp_arena arena;
	size_t *filled; /* the columns that have a value, in the order of the fields */
	size_t n_filled;
	struct mp_buf held; /* events that wait until the columns are known */
	size_t n_held;
	uint64_t omitted; /* number of values without a column */
	struct mp_str first_omitted;
	struct mp_buf raw, text;
};

/* `keep`: --fields or --drop; NULL: neither. It stays the caller's, as `out` does. */
void mp_table_init(struct mp_table *t, struct mp_out *out, bool json,
		   const struct mp_project *keep);
void mp_table_release(struct mp_table *t);

/* Handles a header of events, from which types and fields that are not kept were removed. */
void mp_table_header(struct mp_table *t, json_t *header);

/* Writes an event, or holds it until the columns are known. */
void mp_table_event(struct mp_table *t, const struct mp_rec *rec);

/* Writes what is held. Reports values that have no column. Returns the status for main. */
enum mp_status mp_table_finish(struct mp_table *t);

#endif
