/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line that begins a sample of perf script, "COMM TID [CPU] TIME: PERIOD EVENT: TEXT", any part
 * of which -F may leave out. COMM may hold anything, so the line is read from the right: from the time
 * to the CPU, the thread and what is left. Of several places that look like a time, the right one is
 * the last before which a name of at most 15 bytes is left, since the columns behind a name are wider
 * than that. Includes import.
 */
#ifndef MP_IMPORT_HEAD_H
#define MP_IMPORT_HEAD_H

#include "lib/import/import.h"

enum {
	MP_COMM_MAX = 15,      /* bytes of a thread's name */
	MP_COMM_WIDTH = 16,    /* of a padded name */
	MP_PERF_TID_WIDTH = 7, /* of a thread's number since perf 6.2, before: */
	MP_PERF_TID_WIDTH_OLD = 5,
	MP_PERF_IP_WIDTH = 16, /* of an address */
};

/* The header of a sample; what it lacks has p == NULL. */
struct mp_perf_head {
	struct mp_str comm, pid, tid, cpu, time, period, type, text;
	size_t tid_width; /* of the column, as far as this line tells */
};

/* Which columns -F asked for, as far as most of the lines at hand tell. */
struct mp_perf_shape {
	size_t tid_width;
	bool no_tid, no_cpu, no_event;
};

/* A header with a time, or without one; false: the line is none. Slices point into the line. */
bool mp_import_timed_head(struct mp_str line, struct mp_perf_head *h,
			  const struct mp_perf_shape *shape);
void mp_import_untimed_head(struct mp_str line, struct mp_perf_head *h,
			    const struct mp_perf_shape *shape);

/* Whether a column of an address ends at `end`: MP_PERF_IP_WIDTH bytes, padded on the left. */
bool mp_import_ip_ends_at(struct mp_str s, size_t end);

/* Where the column of a single frame begins in s, behind a blank; s.len if there is none. */
size_t mp_import_find_ip(struct mp_str s);

#endif
