/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows a recording with stacks on a terminal: not its lines, but the number of events by type,
 * task and innermost function, rewritten in place every second. Includes screen, map.
 */
#ifndef MP_CAPTURE_SESSION_LIVE_H
#define MP_CAPTURE_SESSION_LIVE_H

#include "lib/core/map.h"
#include "lib/core/screen.h"
#include "lib/core/str.h"

struct mp_live {
	struct mp_screen screen;
	/* another program writes to the terminal, too: show the counts only at the end */
	bool at_end;
	/* the recording has no events, but aggregated stacks with weights, at the end */
	bool sums;
	struct mp_map rows; /* key: type, name, function */
	struct mp_buf text;
	uint64_t total;
	uint64_t began_ns, shown_ns;
	uint64_t events; /* number of events at the previous output */
};

void mp_live_init(struct mp_live *l, struct mp_out *out, bool at_end, bool sums);

/* Counts a line of the stream (with its LF): an event as one, a stack by its weight. */
void mp_live_add(struct mp_live *l, struct mp_str line);

/*
 * Shows the greatest counts if a second has passed; `last`: immediately, and they stay on the
 * terminal.
 */
void mp_live_show(struct mp_live *l, uint64_t events, uint64_t lost, bool last);

#endif
