/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is added up in the kernel, by stack, in place of an event's being recorded: by the terms of a
 * specification, or by a name of its own ("sum:blocked"). Includes sumterm.
 */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_H
#define MP_CAPTURE_EVENT_AGGREGATE_H

#include "lib/capture/event/aggregate_spec.h"

enum mp_agg_kind {
	MP_AGG_OF_EVENT,   /* by a rule, at each occurrence or sample */
	MP_AGG_OF_BLOCKED, /* ns for which tasks are blocked */
	MP_AGG_OF_WAKERS,  /* likewise, with the stacks of those that woke them */
	MP_AGG_OF_KMALLOC, /* bytes that the allocators of the kernel have not got back */
	MP_AGG_OF_PAGES,
};

struct mp_event_agg {
	enum mp_agg_kind kind;
	char *name;		 /* of the sum: several events may add to one */
	char weight[32];	 /* what is added up: "count", "bytes", "dur" */
	struct mp_agg_rule rule; /* its number is lib/capture/sum's to give */
};

/*
 * The name of an event's sum: the given one, else its type; of what is held, "held:FILE", since several
 * events of a file belong together. Owned by the caller.
 */
char *mp_event_agg_name(const char *given, const char *type, const struct mp_agg_terms *terms);

/* Of the terms of an event; without any, occurrences are counted. */
struct mp_event_agg *mp_event_agg_new(const char *name, const struct mp_agg_terms *terms);

/* Of a name such as "sum:blocked". NULL: there is none. */
struct mp_event_agg *mp_event_agg_named(const char *event, const char *name);
void mp_event_agg_free(struct mp_event_agg *s);

/* Whether what is added up are bytes that someone holds until they are given back. */
bool mp_event_agg_is_held(const struct mp_event_agg *s);

/* The aggregates of a recording by number; several events may add to one. Borrowed. */
struct mp_event_aggs {
	const struct mp_event_agg *v[MP_AGG_RULES];
	size_t n;
};

/* The number of the aggregate that has the name of `agg`, added if it is new; -1: there are too many. */
int mp_event_aggs_add(struct mp_event_aggs *aggs, const struct mp_event_agg *agg);

/* Its unit, "ns" or "B"; NULL: it has none, or it is not known. */
const char *mp_event_agg_unit(const struct mp_event_agg *s);

/* Calls `each` for the names that match. */
typedef void mp_agg_name_fn(void *arg, const char *name, const char *what);

void mp_event_agg_names_each(const char *glob, mp_agg_name_fn *each, void *arg);

#endif
