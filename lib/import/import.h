/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of other profilers to the stream: what the parsers of import_*.c share. One input becomes
 * one section (MARPLE's files several). The parsers see lines and hand over records; headers,
 * trailers, losses and what could not be read are accounted for here. Includes input, map, esc.
 */
#ifndef MP_IMPORT_IMPORT_H
#define MP_IMPORT_IMPORT_H

#include "lib/stream/esc.h"
#include "lib/stream/input.h"
#include "lib/core/map.h"

enum mp_import_kind {
	MP_IMPORT_AUTO,	  /* told by the text itself */
	MP_IMPORT_PERF,	  /* perf script */
	MP_IMPORT_FTRACE, /* tracefs' trace file, trace-cmd report */
	MP_IMPORT_MARPLE,
	MP_IMPORT_FOLDED,
	MP_IMPORT_STREAM, /* mp-stream(5) itself: passed on */
	MP_IMPORT_UNKNOWN,
};

struct mp_import_options {
	enum mp_import_kind kind;
	const char *clock;     /* name of the clock of the times; NULL: what the text says */
	uint64_t time_unit_ns; /* of MARPLE's times; 0: us */
};

struct mp_import {
	const struct mp_import_options *options; /* borrowed */
	struct mp_out *out;			 /* borrowed */
	struct mp_in in;			 /* the input being read */

	/* the section being written */
	enum mp_kind open;  /* its datatype; 0: none */
	json_t *origin;	    /* more for its header, from the text; may be NULL */
	const char *source; /* what the text is, for the header */
	uint64_t records;   /* data lines */
	uint64_t lost;	    /* as the text says */
	uint64_t last_ns;   /* TIME of the latest event */
	struct mp_buf line; /* the record being put together */
	size_t body;	    /* where the fields of an event begin in it */
	bool cut_off;	    /* the input ends within a line */

	/* account, all inputs */
	uint64_t bad, told;	/* lines that could not be read */
	uint64_t sections_lost; /* events */
	uint64_t cut;		/* stacks cut at the limit of a line */
	struct mp_map passed;	/* lines that are no samples, by kind -> uint64_t */
	enum mp_status status;
};

void mp_import_init(struct mp_import *im, const struct mp_import_options *options,
		    struct mp_out *out);
void mp_import_release(struct mp_import *im);

/* Reads an input ("-": stdin) to its end and writes its sections. */
void mp_import_file(struct mp_import *im, const char *path);

/* Tells what was left out, lost and not understood. Returns the status for main. */
enum mp_status mp_import_finish(struct mp_import *im);

/* Name of a kind, for --from and messages; the kind of a name, MP_IMPORT_UNKNOWN if there is none. */
const char *mp_import_kind_name(enum mp_import_kind kind);
enum mp_import_kind mp_import_kind_parse(const char *name);

/* The kind of a text by its first bytes. */
enum mp_import_kind mp_import_guess(const char *data, size_t len);

/* --- for the parsers ------------------------------------------------------------------------- */

/* The next line without LF and CR. Lines that cannot be trusted are told and passed over. */
bool mp_import_line(struct mp_import *im, struct mp_str *line);

/* The line last read is no good: counted, and the first few named. */
void mp_import_bad(struct mp_import *im, const char *why);

/* The line last read is a known one that is no sample: counted by its kind. */
void mp_import_passed(struct mp_import *im, struct mp_str kind);

/* Something for the header of the sections to come; takes the reference. */
void mp_import_origin(struct mp_import *im, const char *key, json_t *value);

/* Writes a header, unless a section of this datatype is open. `clock`: what TIME is on. */
void mp_import_begin(struct mp_import *im, enum mp_kind datatype, const char *clock);

/* Writes the trailer of the open section, if there is one. */
void mp_import_end(struct mp_import *im);

/* Begins an event in `line`: "TIME,TYPE,". A type that cannot stand there gets "event:" in front. */
void mp_import_event(struct mp_import *im, uint64_t time_ns, struct mp_str type);

/* Adds a field; the value is raw and gets escaped. Those for numbers drop leading zeros. */
void mp_import_field(struct mp_import *im, const char *key, struct mp_str value);
void mp_import_number(struct mp_import *im, const char *key, struct mp_str digits);
void mp_import_hex(struct mp_import *im, const char *key, struct mp_str digits);

/* Writes `line` and counts it. A line above the limit is told instead. */
void mp_import_write(struct mp_import *im);

/* A loss that the text tells of, at a time (0: not known) on a CPU (-1: not known). */
void mp_import_lost(struct mp_import *im, uint64_t lost, uint64_t time_ns, int cpu);

/*
 * Adds the text of a tracepoint as payload fields: "a=1 b=x y" as .a and .b, what is no such list
 * as .text. Numbers in a sys_enter's "fd: 0x3, buf: 0x7f" count as fields too.
 */
void mp_import_payload(struct mp_import *im, struct mp_str type, struct mp_str text);

/* The frames of a sample, leaf first as they come; see import_frame.c. */
struct mp_import_frames {
	struct mp_map seen;   /* a line of text -> struct mp_str, the frame */
	struct mp_arena text; /* of the frames */
	struct mp_str *v;
	size_t n, cap;
	size_t bytes; /* of the frames, with separators */
	bool cut;     /* callers are missing: the text ended within the stack */
};

void mp_import_frames_init(struct mp_import_frames *f);
void mp_import_frames_release(struct mp_import_frames *f);

/* A frame of perf script without what leads up to its address: "ADDR SYMBOL+0xOFF (DSO)". */
void mp_import_frame(struct mp_import_frames *f, struct mp_str text);

/* A frame given as a raw name. */
void mp_import_frame_name(struct mp_import_frames *f, struct mp_str name, enum mp_mark mark);

/* Adds "stack=" to the event, root first, and empties the frames. */
void mp_import_stack(struct mp_import *im, struct mp_import_frames *f);

/* Whether a line looks like one of the kind, for mp_import_guess(). */
bool mp_import_is_perf(struct mp_str line);   /* header of a sample with a time */
bool mp_import_is_sample(struct mp_str line); /* header of a sample without one */
bool mp_import_is_frame(struct mp_str line);
bool mp_import_is_ftrace(struct mp_str line);

/* The parsers: from the line at hand to the end of the input. */
void mp_import_perf(struct mp_import *im);
void mp_import_ftrace(struct mp_import *im);
void mp_import_marple(struct mp_import *im);
void mp_import_folded(struct mp_import *im);

/* --- pieces of text -------------------------------------------------------------------------- */

static inline bool mp_import_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* Its length without the blanks at its end. */
static inline size_t mp_import_without_blanks(struct mp_str s)
{
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s.len;
}

static inline struct mp_str mp_import_trim(struct mp_str s)
{
	while (s.len && *s.p == ' ') {
		s.p++;
		s.len--;
	}
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* "S.FRACTION" with 6 or 9 digits behind the point to ns; 0, or -1: out of range. */
int mp_import_time(struct mp_str text, uint64_t *time_ns);

#endif
