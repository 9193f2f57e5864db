/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that neither tracefs nor a PMU has, with names of our own: "task:exec" and others, for
 * which the kernel has records of their own, and "mem:rss" and "stat:NAME", which are polled.
 * Includes tracefs.
 */
#ifndef MP_CAPTURE_EVENT_BUILTIN_H
#define MP_CAPTURE_EVENT_BUILTIN_H

#include <linux/perf_event.h>

#include "lib/capture/event/tracefs.h"

enum mp_builtin_kind {
	MP_BUILTIN_RECORD, /* reported by records of the kernel */
	MP_BUILTIN_RSS,	   /* read from /proc, see memstat.h */
	MP_BUILTIN_PSS,	   /* read from /proc, see memstat.h */
	MP_BUILTIN_COUNT,  /* a counter, see stat.h */
};

struct mp_builtin {
	const char *name, *what;
	enum mp_builtin_kind kind;
	/* payload: offsets in struct mp_record_payload, or in mp_sampled.raw */
	const struct mp_tp_field *fields;
	size_t n_fields;
	uint32_t record; /* MP_BUILTIN_RECORD: PERF_RECORD_ */
	/*
	 * for PERF_RECORD_COMM: if set, the event has only the records of an exec, else only the
	 * others
	 */
	bool exec;
};

/* The event that counts another event: its name is "stat:" and the name of that event. */
extern const struct mp_builtin mp_builtin_count;

/* The ratio of the counts of two events. */
extern const struct mp_builtin mp_builtin_ratio;

/* Calls `each` for the events that match a glob. Returns how many match. */
typedef void mp_builtin_fn(void *arg, const struct mp_builtin *own);

size_t mp_builtin_each(const char *glob, mp_builtin_fn *each, void *arg);

/* Sets the attr of a software event that never fires; it makes the kernel send the records. */
void mp_builtin_set_attr(const struct mp_builtin *own, struct perf_event_attr *attr);

#endif
