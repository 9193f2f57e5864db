/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects parts of a stream, and changes its control lines accordingly. Includes input, types,
 * window, expr, project, table.
 */
#ifndef MP_SELECT_SELECT_H
#define MP_SELECT_SELECT_H

#include "lib/select/project.h"
#include "lib/select/table.h"
#include "lib/stream/expr.h"
#include "lib/stream/input.h"
#include "lib/stream/types.h"
#include "lib/stream/window.h"

/* A section of the output. */
struct mp_select_section {
	bool open; /* its header was written, its trailer not yet */
	uint64_t in, out;
	uint64_t lost;	   /* number of lost events, by its loss lines */
	uint64_t excluded; /* those of `lost` that are not in the output */
	bool ended;	   /* a watermark was written at the end of the window */
};

struct mp_select {
	/* the criteria; an event must meet all that are set */
	struct mp_types types;
	/* overlap: select also spans that began within or before the window and end after it */
	bool windowed, overlap;
	struct mp_window window;
	struct mp_expr **exprs;
	size_t n_exprs, exprs_cap;
	bool invert;	/* select the events for which not all of `exprs` hold */
	uint64_t every; /* select every Nth event; 0: all */
	bool keeping;
	struct mp_project keep; /* the fields that are written */
	struct mp_table *table; /* what is written instead of a stream; NULL: a stream */

	/* private */
	struct mp_input *in;
	struct mp_out *out;
	size_t input; /* number of the current input */
	struct mp_select_section event, point, stack;
	uint64_t passed, written;
	uint64_t early, inside, late; /* events before, in and after the window */
	struct mp_buf buf;
};

/* Selects everything. Both arguments are borrowed. */
void mp_select_init(struct mp_select *s, struct mp_input *in, struct mp_out *out);
void mp_select_release(struct mp_select *s);

/* Adds an expression that must hold; takes ownership of it. */
void mp_select_filter(struct mp_select *s, struct mp_expr *e);

/* Whether the events of a loss may be among those that are selected. */
bool mp_select_concerns(struct mp_select *s, const struct mp_ctl *loss);

/* Handles a control line: writes what is true of the output. */
void mp_select_control(struct mp_select *s, const struct mp_rec *rec, const struct mp_ctl *ctl);

/*
 * Writes a data line if it is selected. Ends the program if the window is given as wall-clock time
 * and the section does not say how its clock relates to that.
 */
void mp_select_record(struct mp_select *s, const struct mp_rec *rec);

/* Ends the output early: writes trailers for the open sections. */
void mp_select_stop(struct mp_select *s);

/*
 * Reports options that are probably mistakes, such as a glob that matched nothing. Returns the
 * status for main.
 */
enum mp_status mp_select_report(const struct mp_select *s);

#endif
