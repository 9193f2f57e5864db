/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every format needs to turn the text of another profiler into a stream: the next line of the
 * input, and a record of the output. One input becomes one section (a MARPLE file becomes several).
 * Headers, trailers, losses and lines that could not be read are accounted for here.
 * Includes input, map, text.
 */
#ifndef MP_IMPORT_RECORD_H
#define MP_IMPORT_RECORD_H

#include "lib/core/map.h"
#include "lib/import/text.h"
#include "lib/stream/input.h"

/*
 * Samples share frames, so that a few bytes may stand for a record of 1 MiB. V8's stacks have up to 255
 * frames: with the addresses of their scripts, some are 2000 times as long as a sample.
 */
enum { MP_IMPORT_GROWTH_MAX = 2048 };

struct mp_import_options {
	const char *clock;     /* name of the clock of the times; NULL: the text says which */
	uint64_t time_unit_ns; /* unit of MARPLE's times; 0: us */
};

struct mp_import {
	const struct mp_import_options *options; /* borrowed */
	struct mp_out *out;			 /* borrowed */
	struct mp_in in;			 /* the current input */
	/* another reader has taken over the input, and closes it */
	bool handed_over;

	/* the current section of the output */
	enum mp_kind open;  /* datatype of the section; 0: no section is open */
	json_t *origin;	    /* members from the text to add to the section's header; may be NULL */
	const char *source; /* what the text is, for `source` in the header */
	uint64_t records;   /* data lines written */
	uint64_t written;   /* bytes of all records of the input */
	uint64_t lost;	    /* losses that the text reports */
	uint64_t last_ns;   /* TIME of the latest event */
	struct mp_buf line; /* the record being built */
	size_t body;	    /* offset in `line` where the fields of an event begin */
	bool truncated;	    /* the input ends in the middle of a line */
	bool refused;	    /* the rest of the input is not read */

	/* totals of all inputs */
	uint64_t bad;		/* lines that could not be read */
	uint64_t sections_lost; /* events lost in complete sections */
	uint64_t truncated_stacks;
	uint64_t untimed;      /* events without a time in texts where others have one */
	struct mp_map skipped; /* kind -> uint64_t, how many lines of it are not samples */
	enum mp_status status;
};

void mp_import_init(struct mp_import *im, const struct mp_import_options *options,
		    struct mp_out *out);
void mp_import_release(struct mp_import *im);

/* Reports what was skipped, lost and not understood. Returns the status for main. */
enum mp_status mp_import_finish(struct mp_import *im);

/* The next line without LF and CR. Lines that cannot be trusted are reported and skipped. */
bool mp_import_line(struct mp_import *im, struct mp_str *line);

/* Counts the current line as one that cannot be parsed, and reports the first few. */
void mp_import_bad(struct mp_import *im, const char *why);

/* Reports why the input cannot be read. mp_import_line() then returns no more lines of it. */
void mp_import_refuse(struct mp_import *im, const char *why);

/* Counts the current line, which is not a sample, by its kind. */
void mp_import_skip(struct mp_import *im, struct mp_str kind);

/* Adds a member to the headers of the sections to come; takes the reference. */
void mp_import_origin(struct mp_import *im, const char *key, json_t *value);

/* Writes a header, unless a section of this datatype is open. `clock`: the clock of its times. */
void mp_import_begin(struct mp_import *im, enum mp_kind datatype, const char *clock);

/* Writes the trailer of the open section, if there is one. */
void mp_import_end(struct mp_import *im);

/* Writes a control line, and drops the reference. */
void mp_import_control(struct mp_import *im, json_t *object);

/*
 * Begins an event in `line`: "TIME,TYPE,". "event:" precedes a type that the stream does not allow.
 */
void mp_import_event(struct mp_import *im, uint64_t time_ns, struct mp_str type);

/* Begins a stack in `line`: "WEIGHT#". */
void mp_import_weight(struct mp_import *im, int64_t weight);

/*
 * Adds frames, root first, to a stack; they are raw, except for the marks that the mp tools write.
 */
void mp_import_folded_frames(struct mp_import *im, struct mp_str frames, const char *separator);

/* Adds a field; the value is raw and gets escaped. Those for numbers drop leading zeros. */
void mp_import_field(struct mp_import *im, const char *key, struct mp_str value);
void mp_import_number(struct mp_import *im, const char *key, struct mp_str digits);
void mp_import_hex(struct mp_import *im, const char *key, struct mp_str digits);
void mp_import_integer(struct mp_import *im, const char *key, int64_t v);

/* Adds a field whose value is a number with a name. */
void mp_import_named(struct mp_import *im, const char *key, int64_t v, struct mp_str name);

/*
 * Writes `line` and counts it. A line above the limit is reported instead. Refuses the rest of an input
 * whose records would have MP_IMPORT_GROWTH_MAX times its bytes.
 */
void mp_import_write(struct mp_import *im);

/* Writes a loss that the text reports, at a time (0: unknown) on a CPU (-1: unknown). */
void mp_import_lost(struct mp_import *im, uint64_t lost, uint64_t time_ns, int cpu);

#endif
