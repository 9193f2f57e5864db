/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: where tracefs is, which there are, and what their fields are (libtraceevent).
 * The only user of libtraceevent. Includes field, str.
 */
#ifndef MP_CAPTURE_EVENT_TRACEFS_H
#define MP_CAPTURE_EVENT_TRACEFS_H

#include "lib/capture/host/field.h"
#include "lib/core/str.h"

struct mp_tp {
	char *system;
	char *name;
	uint64_t id;		    /* attr.config */
	struct mp_tp_field *fields; /* payload, in the order of the format */
	size_t n_fields;
	uint32_t size; /* the raw record has at least this many bytes */
	/* of the entry to a system call: a bit for each field that points to a text */
	uint32_t texts;
	uint32_t arrays; /* those of them that point to an array of texts, such as argv */
};

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
void mp_tp_free(struct mp_tp *tp);

/*
 * mp_tracefs_read() reads a file of tracefs such as "uprobe_events"; the caller owns the text; NULL
 * with errno on failure. mp_tracefs_append() adds a line to it and returns 0, or -1 with errno.
 */
char *mp_tracefs_read(struct mp_tracefs *t, const char *file);
int mp_tracefs_append(struct mp_tracefs *t, const char *file, struct mp_str line);

/* The event's format file, for display. Owned by the caller; NULL with errno. */
char *mp_tracefs_format(struct mp_tracefs *t, const char *system, const char *name);

/* The type of a field as in the header of the stream: "s32", "x64", "str", "u8[]". */
void mp_tp_type_name(const struct mp_tp_field *f, char name[16]);

/*
 * A message that says, by errno, what tracepoints need on this machine and how to get it; owned by
 * the caller.
 */
char *mp_tracefs_advice(int error);

#endif
