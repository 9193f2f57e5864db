/* SPDX-License-Identifier: GPL-2.0-only */
/* What the targets of mp-export share: input, JSON, units. Includes reader, input. */
#ifndef MP_EXPORT_EXPORT_H
#define MP_EXPORT_EXPORT_H

#include "lib/fold/reader.h"
#include "lib/stream/input.h"

struct mp_export {
	struct mp_fold_reader reader; /* the options; folds what a target of stacks reads */
	struct mp_input in;
	struct mp_out out;
	uint64_t negative;    /* stacks whose weight is below 0, which no viewer shows: omitted */
	uint64_t lost;	      /* events that the input lost, of those that the options select */
	uint64_t overlapping; /* spans that became instants, as too many overlap */
	bool begun;	      /* the output was begun */
	uint64_t records;     /* that were selected */
	/* where mp_export_fold() puts stacks and folded text; NULL: where it puts events */
	struct mp_fold *plain;
};

/*
 * The next record that the options select, of any type; also control lines, which were handled.
 * Returns 1, or 0 after the last input.
 */
int mp_export_next(struct mp_export *ex, struct mp_rec *rec);

/* Adds raw bytes as UTF-8: U+FFFD for what is not. */
void mp_export_utf8(struct mp_buf *to, struct mp_str raw);

/* The number of a key, which is given as to mp_map_put(), from 1, and whether it is a new one. */
uint64_t mp_export_id(struct mp_map *map, const struct mp_str *parts, size_t n, bool *fresh);

/* Whether a value is a whole number as the stream writes it. */
bool mp_export_whole(struct mp_str text, int64_t *v);

/* Makes `name` the name of a frame, raw, with its mark, as viewers show it. */
void mp_export_frame(struct mp_buf *name, struct mp_str frame, enum mp_mark mark);

/* How many events were lost that the output is about, by the current control line. */
uint64_t mp_export_lost(struct mp_export *ex);

/* Handles the current control line, and adds up losses, for a target that folds. */
void mp_export_control(struct mp_export *ex);

/* Reads all input into the fold of the reader, as mp-fold(1) does. */
void mp_export_fold(struct mp_export *ex);

/* After the input: whether there was none that could be read, so that nothing is written. */
static inline bool mp_export_none(const struct mp_export *ex)
{
	return !ex->begun && !ex->records && (ex->in.empty || ex->in.refused);
}

/* Adds text of the stream as a JSON string: without its escapes, U+FFFD for what is not UTF-8. */
void mp_export_json(struct mp_buf *to, struct mp_str text);

/* Adds raw bytes as a JSON string. */
void mp_export_json_raw(struct mp_buf *to, struct mp_str raw);

#endif
