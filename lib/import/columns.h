/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which columns the samples of a perf script text have. These differ by type within one
 * text: perf prints a CPU for tracepoints and none for cpu-clock. They are learned from the first
 * lines; after that each line is parsed by itself, preferring the columns that its type usually
 * has. Includes head, map.
 */
#ifndef MP_IMPORT_COLUMNS_H
#define MP_IMPORT_COLUMNS_H

#include "lib/core/map.h"
#include "lib/import/head.h"

enum { MP_PERF_NO_SHAPE = MP_PERF_SHAPES };

struct mp_import_columns {
	/* type -> struct prior; the empty name is for samples without a type */
	struct mp_map types;
	/* best shapes for types that are not in `types`: for tracepoints, and for other events */
	unsigned best[2];
	/*
	 * Width of the column of events, as far as it is known from lines without a time; the second
	 * one is for lines with a PID, with the length of the TID.
	 */
	size_t event_width[2];
	bool timed, untimed;		/* there are samples with a time, and samples without */
	bool events;			/* samples without a time have a column of events */
	uint64_t lines[MP_PERF_SHAPES]; /* number of lines that match each shape */
	const struct mp_map_entry *recent[8]; /* entries of `types`, by the length of the name */

	/* how many of the first lines can be parsed at all, and in each of these ways */
	uint64_t heads, with_time, without_time, with_event, plain;
};

void mp_import_columns_init(struct mp_import_columns *c);
void mp_import_columns_release(struct mp_import_columns *c);

/* Learns from a line that is not a frame; after the last one, call mp_import_columns_learned(). */
void mp_import_columns_learn(struct mp_import_columns *c, struct mp_str line);
void mp_import_columns_learned(struct mp_import_columns *c);

/*
 * Parses the header of a sample; returns false if the line is not one. Slices point into the line.
 */
bool mp_import_columns_read(struct mp_import_columns *c, struct mp_str line,
			    struct mp_perf_head *h);

/* Whether a type is a tracepoint, as "sched:sched_switch" is and "cycles:u" is not. */
bool mp_import_is_tracepoint(struct mp_str type);

#endif
