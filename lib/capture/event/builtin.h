/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events with names of ours, which neither tracefs nor a PMU knows: "task:exec" and so on, which the
 * kernel tells by records of their own kind; "mem:rss" and "stat:NAME", which are read now and then.
 * Includes tracefs.
 */
#ifndef MP_CAPTURE_EVENT_BUILTIN_H
#define MP_CAPTURE_EVENT_BUILTIN_H

#include <linux/perf_event.h>

#include "lib/capture/event/tracefs.h"

enum mp_builtin_kind {
	MP_BUILTIN_RECORD, /* by records of the kernel */
	MP_BUILTIN_RSS,	   /* read from /proc, see memstat.h */
	MP_BUILTIN_PSS,	   /* likewise */
	MP_BUILTIN_COUNT,  /* counted, see stat.h */
};

struct mp_builtin {
	const char *name, *what;
	enum mp_builtin_kind kind;
	/* payload, within what mp_builtin_parse() makes, or within mp_sampled.raw */
	const struct mp_tp_field *fields;
	size_t n_fields;
	uint32_t record; /* told: PERF_RECORD_ */
	bool exec;	 /* of PERF_RECORD_COMM: those of an exec, or the others */
};

/* That of "stat:" and the name of another event. */
extern const struct mp_builtin mp_builtin_count;

/* Calls `each` for those that match a glob. Returns how many. */
typedef void mp_builtin_fn(void *arg, const struct mp_builtin *own);

size_t mp_builtin_each(const char *glob, mp_builtin_fn *each, void *arg);

/* A software event that never fires: the kernel tells by it, or it stands for what is read. */
void mp_builtin_set_attr(const struct mp_builtin *own, struct perf_event_attr *attr);

/* Who it happened to, and its payload as that of a sample. */
struct mp_builtin_record {
	int32_t pid, tid;
	struct mp_buf raw; /* to be released by the caller; used again by the next */
};

/* Takes a record, a whole one, apart. False: it tells of something else. */
bool mp_builtin_parse(const struct mp_builtin *own, const struct perf_event_header *h,
		      struct mp_builtin_record *told);

#endif
