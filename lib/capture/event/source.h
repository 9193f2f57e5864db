/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of a source of events. A source is one file that defines a struct cap_source, and
 * one row in lib/capture/session/sources.c. The session, the writer and -l know sources through
 * this table only. Any function may be NULL: then there is nothing to do.
 *
 * A source may add events that the rings open like any other (tracepoints, probes); then planning
 * is all that it does. Or it makes the samples of its events, or values, itself: then it has a
 * state of its own from open() to close(), and is called in this order by these threads:
 *
 *	open     main     the events are open, and not enabled
 *	start    control  the events have just been enabled
 *	begin    main     the command runs, or there is none
 *	bound    drainer  in each round, see below
 *	tick     main     after each round
 *	stop     control  the events have just been disabled
 *	finish   drainer  the rings have all that happened before stop
 *	account  main     all records were handled, here and in the next three
 *	trailer  main
 *	report   main
 *	close    main     also if none of the others was called
 *
 * All times are CLOCK_MONOTONIC in ns. Includes ctl, resolver.
 */
#ifndef MP_CAPTURE_EVENT_SOURCE_H
#define MP_CAPTURE_EVENT_SOURCE_H

#include "lib/capture/event/resolver.h"
#include "lib/stream/ctl.h"

/* The result of resolving a specification. */
enum cap_resolved {
	CAP_FAILED = -1, /* there was an error, which mp_resolver_fail() has kept */
	CAP_OTHER,	 /* the name is not one of this source: the next one is tried */
	CAP_RESOLVED,	 /* events were added; for a glob, later sources may have more */
	CAP_UNKNOWN,	 /* the name can only be this source's, which has no such event */
};

/* One name that -l shows; all is valid during the call. */
struct cap_listed {
	const char *name;
	const char *what; /* what it is; NULL: no description */
	const struct mp_tp_field *fields;
	size_t n_fields;
	const char *no_fields; /* why its fields cannot be recorded; NULL: they can */
	bool filter;	       /* the kernel filters by fields */
};

/* The request of -l, and its state. */
struct cap_listing {
	const char *glob;
	bool fields;		     /* whether to list also the fields of each name */
	struct mp_tracefs **tracefs; /* opened when it is first needed */
	const struct mp_cut_files *files;
	void (*show)(void *arg, const struct cap_listed *listed);
	void *arg;
	char *error; /* set by a source: why names are missing. Owned by the caller */
};

struct cap_recording; /* lib/capture/ring/recording.h */

struct cap_source {
	const char *name;    /* the word for one of its events in messages, such as "tracepoint" */
	const char *heading; /* heading of the names that list() shows; NULL without list() */
	/* keys of the terms that only this source has, ending with NULL; NULL: none */
	const char *const *terms;

	/* --- planning: main thread, before anything is opened --- */

	/*
	 * For probes, whose names have slashes and colons of their own: the length of the name at
	 * the start of `text`, such as "uprobe:/bin/sh:main"; 0 if it is not a name of this source.
	 */
	size_t (*parse)(const char *text);

	/* Resolves r->spec. For a name or glob that it does not know, a source adds nothing. */
	enum cap_resolved (*resolve)(struct mp_resolver *r);

	/*
	 * Lists names. Returns whether only this source has names with the prefix of the glob
	 * ("usdt:FILE"), so that no other source is tried.
	 */
	bool (*list)(struct cap_listing *l);

	/*
	 * Tests whether this process may record the source's events on this machine. Returns 0, or
	 * -1 with `*error` (owned by the caller).
	 */
	int (*try)(const struct mp_events *events, char **error);

	/* --- recording --- */

	/*
	 * Opens the source. `*state` stays NULL if no event belongs to the source. Returns 0, or -1
	 * with `*error`; close() is called in that case, too.
	 */
	int (*open)(void **state, const struct cap_recording *recording, char **error);
	void (*start)(void *state);
	void (*begin)(void *state);

	/* Must not wait. */
	void (*stop)(void *state);

	/* Pushes the remaining records into the source's streams; may wait. */
	void (*finish)(void *state);

	/*
	 * A lower bound of the times of the records that the source has yet to push to its streams;
	 * UINT64_MAX: none of them is earlier than this call. The drainer calls it once it knows
	 * the time up to which the rings are complete. Must not wait.
	 */
	uint64_t (*bound)(void *state);

	/* To be called when everything before `settled_ns` was handled. Must be short. */
	void (*tick)(void *state, uint64_t settled_ns);

	/*
	 * How often an event happened on a CPU while it was enabled, by the source's own count, for
	 * events that the kernel does not count; `cpu` -1: on an unknown CPU. The drainer, too,
	 * calls it while events happen, but not for `cpu` -1.
	 */
	uint64_t (*account)(void *state, size_t event, int cpu);

	/* Adds the source's totals to the trailer. */
	void (*trailer)(void *state, json_t *trailer);

	/* Prints messages. */
	void (*report)(void *state, bool verbose);
	void (*close)(void *state);
};

#endif
