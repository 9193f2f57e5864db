/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events with names of ours, which neither tracefs nor a PMU knows: "task:exec" and so on, which the
 * kernel tells by records of their own kind; "mem:rss" and "stat:NAME", which are read now and then.
 * Includes tracefs.
 */
#ifndef MP_CAPTURE_OWN_H
#define MP_CAPTURE_OWN_H

#include <linux/perf_event.h>

#include "lib/capture/event/tracefs.h"

enum mp_own_kind {
	MP_OWN_TOLD,  /* by records of the kernel */
	MP_OWN_RSS,   /* read from /proc, see memstat.h */
	MP_OWN_PSS,   /* likewise */
	MP_OWN_COUNT, /* counted, see stat.h */
};

struct mp_own {
	const char *name, *what;
	enum mp_own_kind kind;
	/* payload, within what mp_own_take() makes, or within mp_sampled.raw */
	const struct mp_tp_field *fields;
	size_t n_fields;
	uint32_t record; /* told: PERF_RECORD_ */
	bool exec;	 /* of PERF_RECORD_COMM: those of an exec, or the others */
};

/* That of "stat:" and the name of another event. */
extern const struct mp_own mp_own_count;

/* Calls `each` for those that match a glob. Returns how many. */
typedef void mp_own_fn(void *arg, const struct mp_own *own);

size_t mp_own_each(const char *glob, mp_own_fn *each, void *arg);

/* A software event that never fires: the kernel tells by it, or it stands for what is read. */
void mp_own_set_attr(const struct mp_own *own, struct perf_event_attr *attr);

/* Who it happened to, and its payload as that of a sample. */
struct mp_own_told {
	int32_t pid, tid;
	struct mp_buf raw; /* to be released by the caller; used again by the next */
};

/* Takes a record, a whole one, apart. False: it tells of something else. */
bool mp_own_take(const struct mp_own *own, const struct perf_event_header *h,
		 struct mp_own_told *told);

#endif
