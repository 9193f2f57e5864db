/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes fields from events, and from the headers that list them. Includes field_check, io,
 * jansson, rec.
 */
#ifndef MP_SELECT_PROJECT_H
#define MP_SELECT_PROJECT_H

#include <jansson.h>

#include "lib/core/io.h"
#include "lib/stream/field_check.h"
#include "lib/stream/rec.h"

struct mp_project {
	struct mp_fields fields;     /* names are borrowed */
	struct mp_field_check names; /* checks that events have these fields */
	bool drop;		     /* `fields` are removed; else only `fields` are kept */
};

void mp_project_init(struct mp_project *k, bool drop);

/*
 * `list` is comma-separated and borrowed; may be called again for more. Returns 0, or -1 with
 * `*bad` set to the name that no field of an event has.
 */
int mp_project_add(struct mp_project *k, const char *list, struct mp_str *bad);
void mp_project_release(struct mp_project *k);

/* Notes which of the names an event that is kept has. */
void mp_project_check(struct mp_project *k, const struct mp_rec *rec);

/* Writes an event with the fields that are kept, in their order, and an LF. */
void mp_project_write(const struct mp_project *k, const struct mp_rec *rec, struct mp_out *out);

/* Whether the field is kept. */
bool mp_project_has(const struct mp_project *k, struct mp_str name);

/* Removes the dropped fields from `events`, and `stacks` if no stacks remain. */
void mp_project_header(const struct mp_project *k, json_t *header);

/*
 * Handles a control line. The program ends at a header that rules out one of the names, see
 * field_check.h.
 */
void mp_project_control(struct mp_project *k, const struct mp_ctl *ctl);

/* Reports the names that no event had, if there were events. Returns the status for main. */
enum mp_status mp_project_report(const struct mp_project *k);

#endif
