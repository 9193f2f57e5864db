/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the writer works on. It publishes each step at which what another user wrote could end it,
 * in memory that outlives it, so that the next writer can do without that file or process. Meant
 * for cache misses, not for each event. Functions accept NULL, which means that nobody wants to
 * know. Includes budget, open_direct.
 */
#ifndef MP_CAPTURE_HOST_WORK_H
#define MP_CAPTURE_HOST_WORK_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/open_direct.h"

/* A step may be a part of one of the level before it. */
enum mp_work_level {
	MP_WORK_PROCESS, /* the mappings of a process, the names of its frames */
	MP_WORK_FILE,
	MP_WORK_LEVELS
};

/* Without pointers, since it is shared by two processes. */
struct mp_work_step {
	uint32_t busy; /* atomic; 0: the step has ended */
	uint32_t uid;
	int32_t pid;
	uint32_t major, minor; /* of a file: its device, its inode */
	uint64_t inode;	       /* 0: a process */
	char comm[64];
	char file[256];
};

/* Stands for the step at which a writer has ended, if none was found. */
#define MP_WORK_UNKNOWN ((struct mp_work_step){ .uid = MP_BUDGET_UNKNOWN, .pid = -1 })

struct mp_work {
	/* set by the caller, borrowed */
	struct mp_work_step *now; /* indexed by level */
	/* at these, earlier writers have ended; in order of time */
	const struct mp_work_step *avoided;
	size_t n_avoided;
};

/* `m` is the mapped file, or NULL for a process. */
void mp_work_begin(struct mp_work *w, enum mp_work_level level, const struct mp_budget_who *who,
		   const struct mp_open_mapping *m);
void mp_work_end(struct mp_work *w, enum mp_work_level level);

/* Whether to do without a file, or what a process offers: an earlier writer has ended at it. */
bool mp_work_avoids_file(const struct mp_work *w, const struct mp_open_mapping *m);
bool mp_work_avoids_process(const struct mp_work *w, pid_t pid);

/*
 * Whether to do without all files and names that a user other than root offers: three writers have
 * ended at them.
 */
bool mp_work_avoids_user(const struct mp_work *w, uid_t uid);

/*
 * Whether to do without all files and names, whoever offers them: three writers have ended at
 * unknown steps. mp_work_avoids_file() and mp_work_avoids_user() return true then.
 */
bool mp_work_avoids_all(const struct mp_work *w);

/*
 * Sets `found` to the innermost step that has begun and not ended; false: there is none. Trusts
 * nothing.
 */
bool mp_work_found(const struct mp_work_step *now, struct mp_work_step *found);

#endif
