/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists names for completions: collectors and events from the output of "mp-record -l", fields and
 * types of events from files. Includes str only.
 */
#ifndef MP_HELP_LISTED_H
#define MP_HELP_LISTED_H

#include "lib/core/str.h"

struct mp_help_recordable {
	bool collector;		  /* else it is an event */
	struct mp_str name, text; /* parts of the output */
};

/*
 * Splits the next collector or event off the output of "mp-record -l". `r` must be zeroed before
 * the first call, and keeps the heading from call to call. Returns false at the end.
 */
bool mp_help_next_recordable(struct mp_str *rest, struct mp_help_recordable *r);

typedef void mp_help_fn(void *arg, struct mp_str name, struct mp_str about);

/*
 * Calls `each` for the fields, or the types of events, at the start of the regular files among the
 * words; a name may come several times. If there is no such file, the fields are those that
 * mp-stream(5) defines. The files decide what bytes the names have.
 */
void mp_help_list_fields(char **words, mp_help_fn *each, void *arg);
void mp_help_list_types(char **words, mp_help_fn *each, void *arg);

#endif
