/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What somebody at a terminal sees of a recording with stacks: not its lines, but how many events each
 * type, task and innermost function has, rewritten in place every second. Includes io, map.
 */
#ifndef MP_CAPTURE_SESSION_LIVE_H
#define MP_CAPTURE_SESSION_LIVE_H

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/core/str.h"

struct mp_live {
	struct mp_out *out; /* the terminal */
	bool at_end;	    /* somebody else writes to the terminal, too: only at the end */
	bool sums;	    /* there are no events, only stacks with their weights, at the end */
	struct mp_map rows; /* type, name, function */
	struct mp_buf text;
	uint64_t total;
	uint64_t began_ns, shown_ns;
	uint64_t events; /* when it was shown last */
	size_t height;	 /* lines on the terminal */
};

void mp_live_init(struct mp_live *l, struct mp_out *out, bool at_end, bool sums);
void mp_live_release(struct mp_live *l);

/* Counts a line of the stream, with its LF: an event once, a stack by its weight. */
void mp_live_add(struct mp_live *l, struct mp_str line);

/* Shows the greatest counts, once a second; `last`: at once, to stay there. */
void mp_live_show(struct mp_live *l, uint64_t events, uint64_t lost, bool last);

#endif
