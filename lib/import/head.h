/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line that begins a sample of perf script, "COMM TID [CPU] TIME: PERIOD EVENT: TEXT", any part
 * of which -F may omit. COMM may hold any bytes, so the parser goes from the time to the left: CPU,
 * thread, name. Of several places that look like a time, the right one is the last that leaves a
 * name of at most 15 bytes, since the columns after a name are wider than that. Includes text.
 */
#ifndef MP_IMPORT_HEAD_H
#define MP_IMPORT_HEAD_H

#include "lib/import/text.h"

enum {
	MP_PERF_TID_WIDTH = 7,	   /* of a thread's number since perf 6.2 */
	MP_PERF_TID_WIDTH_OLD = 5, /* before perf 6.2 */
	MP_PERF_IP_WIDTH = 16,	   /* of an address */
};

/* The header of a sample; what it lacks has p == NULL. */
struct mp_perf_head {
	struct mp_str comm, pid, tid, cpu, time, period, type, text;
	size_t tid_width; /* of the column, as far as this line shows */
};

/* Which columns -F asked for, as most of the first lines show. */
struct mp_perf_shape {
	size_t tid_width;
	bool no_tid, no_cpu, no_event;
};

/* Parses a header with a time, or without one; false: the line has none. Slices point into it. */
bool mp_import_timed_head(struct mp_str line, struct mp_perf_head *h,
			  const struct mp_perf_shape *shape);
void mp_import_untimed_head(struct mp_str line, struct mp_perf_head *h,
			    const struct mp_perf_shape *shape);

/* Whether a column of an address ends at `end`: MP_PERF_IP_WIDTH bytes, padded on the left. */
bool mp_import_ip_ends_at(struct mp_str s, size_t end);

/* Where the column of a single frame begins in s, after a blank; s.len if there is none. */
size_t mp_import_find_ip(struct mp_str s);

#endif
