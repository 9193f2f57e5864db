/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes fields from events, and from the headers that list them. Includes rec, io, field_hint, jansson.
 */
#ifndef MP_SELECT_PROJECT_H
#define MP_SELECT_PROJECT_H

#include <jansson.h>

#include "lib/core/io.h"
#include "lib/stream/field_hint.h"
#include "lib/stream/rec.h"

struct mp_project {
	struct mp_fields fields; /* names are borrowed */
	uint64_t *met;		 /* for each: events that had it */
	uint64_t events;
	bool drop; /* these go, else these stay */
	struct mp_field_hints names;
};

void mp_project_init(struct mp_project *k, bool drop);

/*
 * `list` is comma-separated and borrowed; may be called again for more. 0, or -1 with `*bad` set to
 * the name that no field of an event has.
 */
int mp_project_add(struct mp_project *k, const char *list, struct mp_str *bad);
void mp_project_release(struct mp_project *k);

/* Writes an event with the fields that are kept, in their order, and an LF. */
void mp_project_write(struct mp_project *k, const struct mp_rec *rec, struct mp_out *out);

/* Whether a field stays. */
bool mp_project_has(const struct mp_project *k, struct mp_str name);

/* Removes the dropped fields from `events`, and `stacks` if no stacks remain. */
void mp_project_header(const struct mp_project *k, json_t *header);

/* Reports the names that no event had, if there were events. */
void mp_project_report(const struct mp_project *k);

#endif
