/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named collectors: text files that say what to record about a part of the system, see
 * mp-collector(5). Includes event.
 */
#ifndef MP_CAPTURE_SESSION_COLLECTOR_H
#define MP_CAPTURE_SESSION_COLLECTOR_H

#include "lib/capture/event/event.h"
#include "lib/core/io.h"

struct mp_texts {
	char **v;
	size_t n, cap;
};

struct mp_collector {
	char *name; /* including its argument: "syscalls:openat" */
	char *path; /* path of its file */
	char *summary, *cost;
	struct mp_texts note, show;	  /* a note, and pipelines that show the recorded data */
	struct mp_texts events, optional; /* in the syntax of -e */
	struct mp_texts members;	  /* names of the members of a group */
	/* globs of event types that are recorded for the whole system */
	struct mp_texts system;
	/* globs of event types that are also recorded on idle CPUs */
	struct mp_texts idle;
	char *fields;	       /* NULL: all fields */
	uint64_t freq, period; /* 0: not given */
	char *stack;	       /* in the syntax of -g; NULL: not given */
	char *argument_name;   /* NULL: it takes no argument */
	char *argument;	       /* the given argument, or its default; NULL: neither */
};

/*
 * Finds "NAME" or "NAME:ARGUMENT" in the folders of collectors. Returns NULL with `*error` (owned
 * by the caller) if there is none (it names the nearest one), or if its file is wrong (it names the
 * line).
 */
struct mp_collector *mp_collector_load(const char *name, char **error);
void mp_collector_free(struct mp_collector *c);

/* Parses the text of a collector's file; `path` is for messages. */
struct mp_collector *mp_collector_parse(const char *name, const char *path, struct mp_str text,
					char **error);

/*
 * Adds the events of a collector, and of the members of a group. Reports the collectors whose
 * events this machine lacks, and adds the others. Returns how many collectors failed.
 */
size_t mp_collector_resolve(const char *name, struct mp_events *events,
			    const struct mp_event_options *options, struct mp_tracefs **tracefs);

/*
 * Prints what a collector is, what it records, what that costs, and the pipelines that show it.
 * Returns -1 if there is no such collector.
 */
int mp_collector_explain(const char *name, struct mp_out *out);

#endif
