/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream in the formats of other programs: a table of targets, a file for each. Includes
 * reader, input.
 */
#ifndef MP_EXPORT_EXPORT_H
#define MP_EXPORT_EXPORT_H

#include "lib/fold/reader.h"
#include "lib/stream/input.h"

struct mp_export {
	struct mp_fold_reader reader; /* the options; folds what a target of stacks reads */
	struct mp_input in;
	struct mp_out out;
	uint64_t negative; /* stacks whose weight is below 0, which no viewer shows: omitted */
	uint64_t lost;	   /* events that the input lost, of those that the options select */
	bool begun;	   /* the output was begun */
	struct mp_fold
		*plain; /* where mp_export_fold() puts what is not an event; NULL: as those */
};

struct mp_export_target {
	const char *name;
	unsigned kinds; /* what it takes, without control lines */
	bool binary;	/* not for a terminal */
	/* reads all input with mp_export_next() and writes all output */
	void (*write)(struct mp_export *ex);
};

/* The target with this number, from 0; NULL after the last one. */
const struct mp_export_target *mp_export_target(size_t i);

/*
 * The next record that the options select, of any type; also control lines, which were handled.
 * Returns 1, or 0 after the last input.
 */
int mp_export_next(struct mp_export *ex, struct mp_rec *rec);

/* Adds raw bytes as UTF-8: U+FFFD for what is not. */
void mp_export_utf8(struct mp_buf *to, struct mp_str raw);

/* The word that speedscope and pprof have for a unit, such as "nanoseconds"; else `other`. */
const char *mp_export_unit(const char *unit, const char *other);

/* Reads all input into the fold of the reader, as mp-fold(1) does. */
void mp_export_fold(struct mp_export *ex);

/* Adds text of the stream as a JSON string: without its escapes, U+FFFD for what is not UTF-8. */
void mp_export_json(struct mp_buf *to, struct mp_str text);

/* Adds raw bytes as a JSON string. */
void mp_export_json_raw(struct mp_buf *to, struct mp_str raw);

void mp_export_chrome(struct mp_export *ex);
void mp_export_pprof(struct mp_export *ex);
void mp_export_speedscope(struct mp_export *ex);

#endif
