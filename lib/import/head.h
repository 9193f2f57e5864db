/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line that begins a sample of perf script, "COMM TID [CPU] TIME: PERIOD EVENT: TEXT", any part
 * of which -F may omit. COMM may hold any bytes, even what looks like other columns, so a line may
 * have several readings. A reading says where its columns end, and which shape the columns before
 * that have; a shape matches only text that perf can have printed with these columns, with the
 * width that perf gives them. columns.h chooses among the readings. Includes text.
 */
#ifndef MP_IMPORT_HEAD_H
#define MP_IMPORT_HEAD_H

#include "lib/import/text.h"

enum {
	MP_PERF_IP_WIDTH = 16, /* width of the column of an address */

	/*
	 * Shapes are numbered, those with more columns first: if several explain the same lines,
	 * the first one is right, since a name looks like a column only by chance.
	 */
	MP_PERF_COMMS = 3, /* COMM has a column of 16, or is absent, or is not padded */
	/* PID/TID or a number, in 7 or 5 columns (before perf 6.2) or unpadded; or absent */
	MP_PERF_TASKS = 7,
	/* number of shapes by columns, with and without a CPU */
	MP_PERF_COLUMNS = 2 * MP_PERF_TASKS * MP_PERF_COMMS,
	MP_PERF_TIMED = MP_PERF_COLUMNS, /* shapes below this number have a time */
	/* shapes from MP_PERF_TIMED to below this number have a period */
	MP_PERF_PERIOD = 2 * MP_PERF_COLUMNS,
	MP_PERF_SHAPES = 3 * MP_PERF_COLUMNS, /* the remaining shapes have neither */
};

/* The header of a sample; columns that it lacks have p == NULL. */
struct mp_perf_head {
	struct mp_str comm, pid, tid, cpu, time, period, type, text;
	unsigned shape;
};

/* Where the columns of a reading end. */
struct mp_perf_cut {
	struct mp_str left; /* the text before the end of the columns */
	/* blanks at the end of `left` may be the padding of the next column */
	bool padded;
	size_t before_period; /* length of `left` if it ends with a period; else 0 */
	/* without a time: the width of the event's column with its padding */
	size_t event_width;
	struct mp_perf_head head; /* what follows `left` */
};

/*
 * Find the next place at or after *at where the columns of the shape are followed by a time; by an
 * event, in a line without a time; by a frame or the end of the line, in a line without both.
 * Return false if there is none.
 */
bool mp_import_timed_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut);
bool mp_import_event_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut);
bool mp_import_plain_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut);

/*
 * Parses the columns of a shape into cut->head; returns false if the text does not have these
 * columns.
 */
bool mp_import_match(struct mp_perf_cut *cut, unsigned shape);

/* Parses the columns of the first shape that matches; returns false if none does. */
bool mp_import_match_any(struct mp_perf_cut *cut);

/* Whether a name has the blanks before it that perf gives to names in a column. */
bool mp_import_comm_padded(const struct mp_perf_head *h);

/* Whether a column of an address ends at `end`: MP_PERF_IP_WIDTH bytes, padded on the left. */
bool mp_import_ip_ends_at(struct mp_str s, size_t end);

/* Where the column of a single frame begins in s, after a blank; s.len if there is none. */
size_t mp_import_find_ip(struct mp_str s);

#endif
