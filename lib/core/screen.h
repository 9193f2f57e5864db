/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of text that is rewritten in place on a terminal: what a program has counted so far.
 * The text has no control bytes but LF: its writer has escaped names. Includes io, str.
 */
#ifndef MP_CORE_SCREEN_H
#define MP_CORE_SCREEN_H

#include "lib/core/io.h"
#include "lib/core/str.h"

/* A row for a table of options. */
#define MP_SCREEN_LIVE(code)                                                                  \
	{                                                                                     \
		code, "live", "[DURATION]",                                                   \
			"on a terminal, show the table while it grows, again after DURATION " \
			"(default: 1s)"                                                       \
	}
enum { MP_SCREEN_EVERY_NS = 1000000000 }; /* the default */

struct mp_screen {
	struct mp_out *out; /* the terminal */

	/* private */
	/* writes the current picture, of at most this many columns and rows, to `to` */
	void (*draw)(void *arg, struct mp_out *to, size_t columns, size_t rows);
	void *arg;
	uint64_t every_ns, next_ns;
	size_t height,
		columns; /* lines of the picture that is shown, and the terminal's width then */
};

/* `out` is borrowed. */
void mp_screen_init(struct mp_screen *s, struct mp_out *out);

/* The columns and rows that a picture may have: one less than the terminal has, at least one. */
void mp_screen_size(const struct mp_screen *s, size_t *columns, size_t *rows);

/*
 * Replaces the picture. Lines that are too long are truncated, and of too many lines the last ones
 * are omitted.
 */
void mp_screen_show(struct mp_screen *s, struct mp_str text);

/*
 * From now on `draw` makes a new picture every `every_ns`, whenever an input that is tied to `out`
 * is about to be read, and while a read would wait. Pictures take at most a tenth of the time.
 * Messages appear above the picture. The caller keeps `s` until mp_screen_end(). Ends the program
 * with a message about --live if `out` is not a terminal.
 */
void mp_screen_begin(struct mp_screen *s, uint64_t every_ns,
		     void (*draw)(void *arg, struct mp_out *to, size_t columns, size_t rows),
		     void *arg);

/*
 * Ends this. The last picture stays, because other programs that share the terminal may have
 * written messages below it.
 */
void mp_screen_end(struct mp_screen *s);

/*
 * Adds as much of a text as fits into `columns`; a character that may be wide counts as two. With
 * `pad` blanks follow up to `columns`.
 */
void mp_screen_cut(struct mp_buf *to, struct mp_str text, size_t columns, bool pad);

#endif
