/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are aggregated in the kernel by stack instead of recorded: because of the terms of a
 * specification, or of a name that stands for an aggregate ("sum:blocked"). Includes
 * aggregate_spec.
 */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_H
#define MP_CAPTURE_EVENT_AGGREGATE_H

#include "lib/capture/event/aggregate_spec.h"

enum mp_agg_kind {
	MP_AGG_OF_EVENT,   /* adds a weight at each occurrence or sample, by a rule */
	MP_AGG_OF_BLOCKED, /* adds the ns for which tasks are blocked */
	/* as MP_AGG_OF_BLOCKED, but by the stacks of the task and of its waker */
	MP_AGG_OF_WAKERS,
	MP_AGG_OF_KMALLOC, /* holds the bytes of kmalloc and slab caches that were not freed */
	MP_AGG_OF_PAGES,   /* holds the bytes of pages that were not freed */
};

struct mp_event_agg {
	enum mp_agg_kind kind;
	/* several events may add to one aggregate, which is known by its name */
	char *name;
	char weight[32];	 /* name of the weight: "count", "bytes", "dur" */
	struct mp_agg_rule rule; /* its rule; the member `aggregate` is set later */
};

/*
 * The name of the aggregate of an event: the given one, else the type of the event, or, for memory
 * that is held, "held:FILE", since several events of a file belong together. Owned by the caller.
 */
char *mp_event_agg_name(const char *given, const char *type, const struct mp_agg_terms *terms);

/* The aggregate that an event's terms describe. Without terms it counts occurrences. */
struct mp_event_agg *mp_event_agg_new(const char *name, const struct mp_agg_terms *terms);

/* The aggregate of a name such as "sum:blocked"; NULL if there is none. */
struct mp_event_agg *mp_event_agg_named(const char *event, const char *name);
void mp_event_agg_free(struct mp_event_agg *agg);

/* Whether the weight is memory that a task holds until it frees it. */
bool mp_event_agg_is_held(const struct mp_event_agg *agg);

/* The aggregates of a recording by number; several events may add to one. Borrowed. */
struct mp_event_aggs {
	const struct mp_event_agg *v[MP_AGG_RULES];
	size_t n;
};

/*
 * The number of the aggregate that has the name of `agg`, added if it is new; -1 if there are too
 * many.
 */
int mp_event_aggs_add(struct mp_event_aggs *aggs, const struct mp_event_agg *agg);

/* The unit of the weight, "ns" or "B"; NULL: it has none, or an unknown one. */
const char *mp_event_agg_unit(const struct mp_event_agg *agg);

/* Calls `each` for the names that match a glob. */
typedef void mp_agg_name_fn(void *arg, const char *name, const char *what);

void mp_event_agg_names_each(const char *glob, mp_agg_name_fn *each, void *arg);

#endif
