/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sources of events (source.h) share when they resolve a specification: the event that is
 * added, its rate, its stack. Includes event, spec_part.
 */
#ifndef MP_CAPTURE_EVENT_RESOLVER_H
#define MP_CAPTURE_EVENT_RESOLVER_H

#include "lib/capture/event/event.h"
#include "lib/capture/event/spec_part.h"

/* One call of mp_events_resolve(). */
struct mp_resolver {
	struct mp_events *events; /* the events, to which the source adds */
	const struct mp_event_options *options;
	const struct mp_spec *spec; /* the specification that is being resolved */
	/* count its events instead of recording them; a source that cannot count clears it */
	bool count;
	unsigned honoured; /* bits of enum mp_spec_part: the parts that the source acts on */
	bool found;	   /* the name is a glob, and an earlier source has events that match it */

	/* private */
	struct mp_tracefs **tracefs;
	char **error;
	bool failed;
};

/* Keeps the first error, and takes ownership of it. Returns -1. */
int mp_resolver_fail(struct mp_resolver *r, char *error);

/* tracefs, opened when it is first needed; NULL with errno if it cannot be opened. */
struct mp_tracefs *mp_resolver_tracefs(struct mp_resolver *r);

/* Whether the name is a glob for names after its prefix, as "task:*". */
bool mp_resolver_is_glob(const struct mp_resolver *r);

/* The index of a recorded event by its name, not escaped; -1 if there is none. */
ptrdiff_t mp_resolver_find(const struct mp_resolver *r, const char *name);

/* Adds an event, with the settings that all events share. Valid until the next one is added. */
struct mp_event *mp_resolver_add(struct mp_resolver *r, const char *name);

/* Adds an event for a tracepoint, or for a probe that was made as one. */
void mp_resolver_add_tracepoint(struct mp_resolver *r, const char *type, const char *system,
				const char *name);

/*
 * Sets how often the event is recorded. `each`: each time, unless the terms or the options request
 * samples.
 */
void mp_resolver_set_rate(struct mp_resolver *r, struct mp_event *e, bool each);

/*
 * Sets the stack of the event. This and the following functions return 0, or -1 with the error
 * kept.
 */
int mp_resolver_set_stack(struct mp_resolver *r, struct mp_event *e);
int mp_resolver_set_aggregate(struct mp_resolver *r, struct mp_event *e);

/* Aggregates the event in the kernel, with `part` of the stack. */
void mp_resolver_use_agg(struct mp_resolver *r, struct mp_event *e, struct mp_event_agg *agg,
			 enum mp_stack_part part);

/* Writes all fields of its payload. */
void mp_resolver_write_fields(struct mp_event *e);

/*
 * Polls the event at an interval: `usual_ns`, unless the specification or the options have another
 * one.
 */
void mp_resolver_set_reading(struct mp_resolver *r, struct mp_event *e, uint64_t usual_ns);

/* The default interval of events that are counted. */
#define MP_RESOLVER_COUNTED_NS 1000000000ull

/* Merges the last event into an earlier one of the same name (-1 if there is none). */
int mp_resolver_merge_last(struct mp_resolver *r, ptrdiff_t known);

/* The requested parts of the stack. */
enum mp_stack_part mp_resolver_stack_part(const struct mp_resolver *r);

#endif
