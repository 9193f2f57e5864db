/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on a terminal that shows the progress of the recording. Includes base. */
#ifndef MP_CAPTURE_SESSION_STATUS_H
#define MP_CAPTURE_SESSION_STATUS_H

#include "lib/core/base.h"

struct mp_status_line {
	bool on;
	uint64_t began_ns, shown_ns;
	uint64_t events; /* number of events at the previous output */
};

/* Enables the line if it is `wanted` and stderr is a terminal. */
void mp_status_line_init(struct mp_status_line *s, bool wanted);

/*
 * Shows elapsed time, events, rate and losses, a few times a second at most; and the number of files
 * unless that is 0.
 */
void mp_status_line_show(struct mp_status_line *s, uint64_t events, uint64_t lost, uint64_t files);
void mp_status_line_clear(struct mp_status_line *s);

#endif
