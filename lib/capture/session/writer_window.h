/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times of a recording, CLOCK_MONOTONIC: from when to when events are written, and how far they
 * were. Without pointers. Includes libc only.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_WINDOW_H
#define MP_CAPTURE_SESSION_WRITER_WINDOW_H

#include <stdint.h>

struct mp_writer_window {
	uint64_t from_ns;      /* when all events were enabled */
	uint64_t until_ns;     /* all events were enabled until then; later ones are not written */
	uint64_t stop_ns;      /* when the events were about to be disabled; UINT64_MAX: not yet */
	uint64_t scanned_ns;   /* when /proc had been scanned for running tasks */
	uint64_t rounds_ns;    /* the same of the first writer that has handled a record */
	uint64_t watermark_ns; /* all earlier events were written */
	uint64_t handled_ns;   /* the same for the budget; 0 after the stop */
};

#endif
