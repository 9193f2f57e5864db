/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream with only what is wanted of it, and control lines that say what it then is.
 * Includes input, types, window, expr, keep.
 */
#ifndef MP_SELECT_SELECT_H
#define MP_SELECT_SELECT_H

#include "lib/select/project.h"
#include "lib/select/window.h"
#include "lib/stream/expr.h"
#include "lib/stream/input.h"
#include "lib/stream/types.h"

/* A section of the output. */
struct mp_select_section {
	bool open; /* its header was written, its trailer not yet */
	uint64_t in, out, lost;
};

struct mp_select {
	/* what is wanted; all that are given must hold */
	struct mp_types types;
	bool windowed, overlap; /* overlap: spans that touch the window */
	struct mp_window window;
	struct mp_expr **exprs;
	size_t n_exprs, exprs_cap;
	bool invert;	/* those for which not all of `exprs` hold */
	uint64_t every; /* 0: each */
	bool keeping;
	struct mp_project keep; /* of their fields */

	/* inside */
	struct mp_input *in;
	struct mp_out *out;
	size_t input; /* number of the input that is read */
	struct mp_select_section event, point, stack;
	uint64_t passed, written;
	uint64_t early, inside, late; /* events before, in and after the window */
	struct mp_buf buf;
};

/* Everything is wanted. Both are borrowed. */
void mp_select_init(struct mp_select *s, struct mp_input *in, struct mp_out *out);
void mp_select_release(struct mp_select *s);

/* Expressions that must hold; taken. */
void mp_select_filter(struct mp_select *s, struct mp_expr *e);

/* A control line: what of it is true of the output is written. */
void mp_select_control(struct mp_select *s, const struct mp_rec *rec, const struct mp_ctl *ctl);

/* A data line, written if it is wanted. A wall-clock window that cannot be placed ends the program. */
void mp_select_record(struct mp_select *s, const struct mp_rec *rec);

/* Trailers for the sections that are open, when the rest of the input is left unread. */
void mp_select_stop(struct mp_select *s);

/* Says what in the wishes was a slip, most likely. */
void mp_select_report(const struct mp_select *s);

#endif
