/* SPDX-License-Identifier: GPL-2.0-only */
/* The frames of a sample, leaf first as the text has them. Includes record, esc. */
#ifndef MP_IMPORT_FRAMES_H
#define MP_IMPORT_FRAMES_H

#include "lib/import/record.h"
#include "lib/stream/esc.h"

struct mp_import_frames {
	struct mp_map seen;   /* a line of text -> struct mp_str, the frame */
	struct mp_arena text; /* memory of the frames in `seen` */
	struct mp_str *v;
	size_t n, cap;
	size_t bytes;	/* bytes of the frames with their separators */
	bool truncated; /* callers are missing: the input ended within the stack */
};

void mp_import_frames_init(struct mp_import_frames *f);
void mp_import_frames_release(struct mp_import_frames *f);

/* Adds a frame of perf script, from its address on: "ADDR SYMBOL+0xOFF (DSO)". */
void mp_import_frame(struct mp_import_frames *f, struct mp_str text);

/* Converts a frame of perf script to a frame of a stack; valid until the next mp_import_stack(). */
struct mp_str mp_import_frame_text(struct mp_import_frames *f, struct mp_str text);

/* Adds a frame given as a raw name. */
void mp_import_frame_name(struct mp_import_frames *f, struct mp_str name, enum mp_mark mark);

/*
 * Adds the frames, root first, to the event as its field "stack", or to the stack in `line`, and
 * empties them.
 */
void mp_import_stack(struct mp_import *im, struct mp_import_frames *f);

#endif
