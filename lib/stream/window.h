/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A window of time over sections with clocks of their own: converts times as a user writes them to
 * the clock of a section. Includes clock, ctl.
 */
#ifndef MP_STREAM_WINDOW_H
#define MP_STREAM_WINDOW_H

#include "lib/stream/ctl.h"

struct mp_window_time {
	enum {
		MP_WINDOW_NONE,
		MP_WINDOW_RELATIVE, /* relative to the start of the section: "2s", "500ms", "2.5" */
		MP_WINDOW_CLOCK,    /* on the clock of the section: "@71200103211" ns, "@71.2s" */
		MP_WINDOW_WALL,	    /* RFC 3339: "2026-11-20T09:19:00.5+00:00" */
	} kind;
	uint64_t ns;
};

/* Parses a time. Returns 0, or -1 if the text is not one. A whole number of ns is exact. */
int mp_window_time_parse(struct mp_window_time *m, const char *text);

struct mp_window {
	/* the window, set by the user; zeroed: all of the input */
	struct mp_window_time from, to;
	uint64_t for_ns; /* instead of `to`; 0: not given */

	/* the current section */
	bool placed;
	bool has_start, has_offset;
	uint64_t start_ns;	   /* start of the section, on its clock */
	uint64_t offset_ns;	   /* what to add to the clock to get realtime (wraps) */
	uint64_t begin_ns, end_ns; /* the window: begin_ns <= time < end_ns */
};

/*
 * Begins a section. It starts at the `start` of its header, or at the time when the two clocks in
 * the header were read. `header` is NULL if the input has none.
 */
void mp_window_header(struct mp_window *w, const struct mp_ctl *header);

/*
 * Puts the window on the clock of the section, before its first event is tested; if the header does
 * not say when the section starts, it starts with that event. Returns 0, or -1 if a wall-clock time
 * is given and the section does not relate its clock to it.
 */
int mp_window_place(struct mp_window *w, uint64_t first_ns);

/*
 * Restricts the interval of a loss, after "from" up to "time", to the window. Returns false if it
 * is outside. In a section that does not say when it starts, losses before the first event are
 * unchanged.
 */
bool mp_window_restrict(struct mp_window *w, struct mp_ctl *loss);

static inline bool mp_window_has(const struct mp_window *w, uint64_t time_ns)
{
	return time_ns >= w->begin_ns && time_ns < w->end_ns;
}

#endif
