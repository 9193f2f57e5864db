/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns the frames of a stack into functions with lines: "main (app.c:12)", with the functions that
 * were inlined there as frames of their own. Includes esc, modules.
 */
#ifndef MP_SRCLINE_FRAMES_H
#define MP_SRCLINE_FRAMES_H

#include "lib/srcline/modules.h"
#include "lib/stream/esc.h"
#include "lib/stream/rec.h"

struct mp_srcline_frames {
	struct mp_srcline_modules modules;
	bool paths;	     /* write complete paths of source files, not the last part only */
	struct mp_map texts; /* frame -> its text in the output: struct mp_str */
	struct mp_map folded_texts; /* as in folded text */
	struct mp_buf line, frame;
	uint64_t placed;   /* frames that had a place */
	uint64_t too_long; /* lines that would exceed the limit, and were not changed */
	char answer[MP_JAIL_ANSWER_MAX];
};

void mp_srcline_frames_init(struct mp_srcline_frames *f);
void mp_srcline_frames_release(struct mp_srcline_frames *f);

/* The line of a record with the frames of its stack, without LF; valid until the next call. */
struct mp_str mp_srcline_frames_line(struct mp_srcline_frames *f, const struct mp_rec *rec);

#endif
