/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: where tracefs is, which there are, and what their fields are. Includes
 * tracepoint_format.
 */
#ifndef MP_CAPTURE_EVENT_TRACEFS_H
#define MP_CAPTURE_EVENT_TRACEFS_H

#include "lib/capture/event/tracepoint_format.h"

struct mp_tracefs;

/*
 * Finds where tracefs is mounted. As root, mounts it for this process alone if it is not mounted,
 * so that nothing remains afterwards. Returns NULL with errno set.
 */
struct mp_tracefs *mp_tracefs_open(void);
void mp_tracefs_close(struct mp_tracefs *t);

/*
 * Calls `each` with "system" and "name" for the tracepoints that match "SYSTEM:NAME" (globs
 * both), sorted. Returns how many.
 */
typedef void mp_tracefs_fn(void *arg, const char *system, const char *name);

size_t mp_tracefs_each(struct mp_tracefs *t, const char *glob, mp_tracefs_fn *each, void *arg);

/*
 * Reads the format of a tracepoint. Returns NULL with `*why` (static text, or strerror) on failure.
 */
struct mp_tp *mp_tracefs_load(struct mp_tracefs *t, const char *system, const char *name,
			      const char **why);

/*
 * mp_tracefs_read() reads a file of tracefs such as "uprobe_events"; the caller owns the text; NULL
 * with errno on failure. mp_tracefs_append() adds a line to it and returns 0, or -1 with errno.
 */
char *mp_tracefs_read(struct mp_tracefs *t, const char *file);
int mp_tracefs_append(struct mp_tracefs *t, const char *file, struct mp_str line);

/* The event's format file, for display. Owned by the caller; NULL with errno. */
char *mp_tracefs_format(struct mp_tracefs *t, const char *system, const char *name);

/*
 * A message that says, by errno, what tracepoints need on this machine and how to get it; owned by
 * the caller.
 */
char *mp_tracefs_advice(int error);

#endif
