/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of a source of events. A source is one file that defines a struct cap_source, and one
 * row in lib/capture/session/sources.c. The session, the writer and -l know sources through this table
 * only. Any function may be NULL: then there is nothing to do.
 *
 * Planning, in the main thread, before anything is opened:
 *	resolve	adds the events that a specification names
 *	list	shows the names that match a glob
 *
 * Includes resolver.
 */
#ifndef MP_CAPTURE_EVENT_SOURCE_H
#define MP_CAPTURE_EVENT_SOURCE_H

#include "lib/capture/event/resolver.h"

/* What became of a specification. */
enum cap_resolved {
	CAP_FAILED = -1, /* the error is kept, see mp_resolver_fail() */
	CAP_OTHER,	 /* the name is not one of this source: the next one is asked */
	CAP_RESOLVED,	 /* events were added; of a glob, the sources that follow may have more */
	CAP_UNKNOWN,	 /* the name can only be this source's, which has no such event */
};

/* One name that -l shows; all is valid during the call. */
struct cap_listed {
	const char *name;
	const char *what; /* NULL: nothing */
	const struct mp_tp_field *fields;
	size_t n_fields;
	const char *no_fields; /* why they cannot be shown; NULL: they can */
	bool filter;	       /* the kernel filters by fields */
};

/* What -l asks for. */
struct cap_listing {
	const char *glob;
	bool fields;		     /* with the fields of each name */
	struct mp_tracefs **tracefs; /* opened when it is first needed */
	const struct mp_cut_files *files;
	void (*show)(void *arg, const struct cap_listed *listed);
	void *arg;
	char *error; /* set by a source: why names are missing. Owned by the caller */
};

struct cap_source {
	const char *name; /* for messages */

	/* Looks at r->spec. A source asked for a name or glob that it does not know adds nothing. */
	enum cap_resolved (*resolve)(struct mp_resolver *r);

	/* Whether the glob has a prefix that only this source has ("usdt:FILE"): no other is asked then. */
	bool (*list)(struct cap_listing *l);
};

#endif
