/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel, at their begin and end, and raw tracepoints:
 *
 *	fentry:FUNCTION[(FIELD,...)]	fexit:FUNCTION[(FIELD,...)]	rawtp:NAME[(FIELD,...)]
 *
 * prototype.h says what a FIELD is, tracingfilter.h what a filter may be, and lib/capture/bpf loads
 * the programs that record them. Includes prototype.
 */
#ifndef MP_CAPTURE_EVENT_TRACED_H
#define MP_CAPTURE_EVENT_TRACED_H

#include "lib/capture/event/prototype.h"

/* The parameters of the program of one event. */
struct mp_tracing {
	enum mp_traced traced;
	char *name; /* name of the function or tracepoint */
	struct mp_tracing_setup setup;
};

/* The kind of an event by the beginning of its name, "fentry:"; false if it is none of these. */
bool mp_tracing_kind(const char *name, enum mp_traced *traced, const char **rest);

/*
 * Parses the name of an event; its fields are in `*tp`. The caller owns both. Returns NULL with
 * `*error` (owned by the caller) on failure.
 */
struct mp_tracing *mp_tracing_parse(const char *name, struct mp_tp **tp, char **error);
void mp_tracing_free(struct mp_tracing *t);

/* The fields of an event: those that the program fetches, and their places in its record. */
struct mp_traced_fields {
	struct mp_tracing *tracing;
	struct mp_tp *tp;
};

/*
 * Adds the fields of an event to those of another of the same function or tracepoint. Returns -1 if
 * different fields have the same name, or there is no room; then nothing is added.
 */
int mp_tracing_merge(const struct mp_traced_fields *to, const struct mp_traced_fields *from);

#endif
