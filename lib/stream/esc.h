/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The escapes of mp-stream(5): names from the traced machine to text of the stream and back.
 * Includes number, str.
 */
#ifndef MP_STREAM_ESC_H
#define MP_STREAM_ESC_H

#include "lib/core/number.h"
#include "lib/core/str.h"

/* The kinds of text. Each escapes control bytes and the backslash, and also these bytes: */
enum mp_esc {
	MP_ESC_VALUE = 1, /* the parenthesis of a text that looks like a number with a name */
	MP_ESC_FRAME = 2, /* ; */
	MP_ESC_TYPE = 4,  /* comma and blank */
};

/*
 * Writes `raw` escaped at `to`, which has room for 4 * raw.len bytes; returns the end. For the name
 * of a frame, which may itself end like a mark ("_[k]"), use mp_frame_put().
 */
char *mp_esc_put(char *to, struct mp_str raw, enum mp_esc where);
void mp_esc_add(struct mp_buf *to, struct mp_str raw, enum mp_esc where);

/*
 * Decodes an escaped text and appends it to `to`. Returns 0, or -1 if there is a raw control byte
 * or a bad escape.
 */
int mp_esc_undo(struct mp_buf *to, struct mp_str text);

/*
 * The text decoded; `hold` keeps it if there are escapes, until its next use. A broken escape
 * represents its own bytes.
 */
struct mp_str mp_esc_decode(struct mp_buf *hold, struct mp_str text);

/* Returns 0 if mp_esc_undo() would accept the text, else -1. */
int mp_esc_check(struct mp_str text);

/*
 * Decodes one byte of the text from `p` to `end`; returns how many bytes of text it took. A broken
 * escape stands for its own bytes.
 */
size_t mp_esc_next(const char *p, const char *end, char *byte);

/* The kind of code that a frame belongs to, shown by its mark. */
enum mp_mark {
	MP_MARK_NONE = 0, /* user space, or unknown */
	MP_MARK_KERNEL = 'k',
	MP_MARK_JIT = 'j',
	MP_MARK_INLINED = 'i',
};

/* A frame of a stack: its raw name, without escapes, its mark, and the text of its place, or "". */
struct mp_frame {
	struct mp_str name;
	enum mp_mark mark;
	struct mp_str place;
};

/*
 * The mark at the end of a frame's text; `*name`, unless `name` is NULL, gets the text before it.
 */
enum mp_mark mp_frame_mark(struct mp_str frame, struct mp_str *name);

/* Where a named frame was, see mp-stream(5): "+0xoffset@module:id" between its name and its mark. */
struct mp_place {
	uint64_t offset;
	struct mp_str module; /* with its id, escaped: "nginx:8f3a9c0d" */
};

/*
 * Splits the place off a frame without its mark; `place` may be NULL. Returns false if the frame
 * has none.
 */
bool mp_frame_place(struct mp_str *frame, struct mp_place *place);

/* Removes the places from frames with ";" between them. Returns the length that remains. */
size_t mp_frame_strip(char *frames, size_t len);

/*
 * Writes the place of a frame at `to`, which has room for module.len + 24 bytes. Returns the end.
 */
char *mp_frame_put_place(char *to, const struct mp_place *place);

/*
 * Writes a module, given its name and its build id in hexadecimal digits, at `to`, which has room
 * for 4 * name.len + 10 bytes; an id of less than 8 digits is none. Returns the end.
 */
char *mp_frame_put_module(char *to, struct mp_str name, struct mp_str id);

/*
 * Writes a frame, given its raw name and its mark, at `to`, which has room for 4 * name.len + 8
 * bytes. Returns the end.
 */
char *mp_frame_put(char *to, struct mp_str name, enum mp_mark mark);

/*
 * As mp_frame_put(), in the stricter form of mp-folded(5). `to` has room for 4 * name.len + 12
 * bytes.
 */
char *mp_frame_put_folded(char *to, struct mp_str name, enum mp_mark mark);

/*
 * Writes a frame with its place, as the functions above do. `to` has room for 4 * name.len +
 * place.len + 12 bytes.
 */
char *mp_frame_write(char *to, const struct mp_frame *frame, bool folded);

/*
 * Adds a text for a terminal: escapes what the stream escapes, and the C1 controls of UTF-8 (0xc2
 * 0x80-0x9f), which terminals obey.
 */
void mp_esc_terminal(struct mp_buf *to, struct mp_str text);

#endif
