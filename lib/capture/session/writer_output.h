/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the stream: where they go, in which form, and how many bytes they have. Includes io,
 * live, taskname.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_OUTPUT_H
#define MP_CAPTURE_SESSION_WRITER_OUTPUT_H

#include <jansson.h>

#include "lib/capture/session/live.h"
#include "lib/core/io.h"
#include "lib/stream/taskname.h"

struct mp_writer_output {
	/* set by the caller; borrowed */
	struct mp_out *out;
	struct mp_buf *modules;	    /* control lines of modules that frames name, not written yet */
	struct mp_tasknames *names; /* names from the user's table; NULL: tasks keep theirs */
	struct mp_live *live;	 /* for a terminal: a summary instead of lines; NULL: write lines */
	bool readable;		 /* for a terminal: readable lines, no control lines */
	bool silent;		 /* the stream has sections of aggregates only */
	void (*stop)(void *arg); /* see mp_writer_stop() */
	void *arg;

	/* result */
	uint64_t bytes; /* bytes written */

	/* private */
	struct mp_buf text, renamed;
	bool stopping;
};

void mp_writer_output_release(struct mp_writer_output *o);

/* Writes bytes, and counts them. The caller finds a failure in out->error. */
void mp_writer_put(struct mp_writer_output *o, struct mp_str text);

/* Writes a line of an event, or of a summary on a terminal. */
void mp_writer_put_line(struct mp_writer_output *o, struct mp_str line);

/* Write a control line among events, or any control line, except to a terminal. */
void mp_writer_put_control(struct mp_writer_output *o, struct mp_str line);
void mp_writer_put_json(struct mp_writer_output *o, json_t *object); /* takes the reference */

/* Writes the control lines of modules that frames name since the last call, except to a terminal. */
void mp_writer_put_modules(struct mp_writer_output *o);

/* Ends the recording, since the limit of events is reached, or the output has failed. */
void mp_writer_stop(struct mp_writer_output *o);

#endif
