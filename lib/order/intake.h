/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads an input into buffers and parses its lines; a regular file is read ahead in a thread of its
 * own. Includes rec, unpack.
 */
#ifndef MP_ORDER_INTAKE_H
#define MP_ORDER_INTAKE_H

#include <sys/types.h>

#include "lib/core/unpack.h"
#include "lib/stream/rec.h"

/* A line of a buffer. */
struct mp_intake_line {
	uint64_t time_ns; /* time of an event */
	const char *why;  /* why the line is bad; NULL: it is good */
	uint32_t offset;
	uint32_t len; /* without LF */
	uint32_t kind;
};

/* A buffer of the caller: complete lines, and perhaps the beginning of another one. */
struct mp_intake_buffer {
	char *data;
	size_t cap;
	size_t used;	/* bytes read */
	size_t scanned; /* bytes of complete lines */
	struct mp_intake_line *lines;
	size_t n, cap_lines;
	bool end;    /* the input has ended */
	uint32_t id; /* an id that the caller sets */
};

struct mp_intake {
	int fd;
	const char *name; /* name of the input, for messages */
	bool live;	  /* a read may block: a pipe, a terminal */
	off_t offset,
		end; /* of a regular file that is not compressed: the range still to be read */
	struct mp_unpack *unpack; /* of compressed data, which has no known end; NULL: it is not */
	bool begun;		  /* of a live input: its first bytes have been read */
	bool overlong; /* reading is within a line longer than the limit, which is dropped */
	struct mp_intake_ahead *ahead;
};

/*
 * Reads once into a buffer and finds its lines; earlier lines are forgotten. A read error ends the
 * program.
 */
void mp_intake_read(struct mp_intake *in, struct mp_intake_buffer *b);

/*
 * Continues in another buffer, which is empty and larger than the unfinished line: moves that line
 * there.
 */
void mp_intake_continue(struct mp_intake *in, const struct mp_intake_buffer *full,
			struct mp_intake_buffer *b);

/* Prepares to decompress a regular file, if it is compressed. Returns whether it is. */
bool mp_intake_unpack(struct mp_intake *in);

/* Whether mp_intake_read() has data without reading. */
bool mp_intake_pending(const struct mp_intake *in);

/* After the end: why compressed data ended early; NULL: all is well. */
const char *mp_intake_fault(const struct mp_intake *in);

void mp_intake_release(struct mp_intake *in);

/*
 * Reads ahead in a thread. Buffers go there empty by mp_intake_give() and come back full, in order,
 * by mp_intake_take(), without their unfinished last line, except for the last block.
 * mp_intake_stop() ends it.
 */
void mp_intake_start(struct mp_intake *in);
void mp_intake_give(struct mp_intake *in, struct mp_intake_buffer *b);
struct mp_intake_buffer *mp_intake_take(struct mp_intake *in);
void mp_intake_stop(struct mp_intake *in);

#endif
