/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is by name: collectors and events, as "mp-record -l" lists them; fields and types of
 * events in files. Includes str only.
 */
#ifndef MP_HELP_LISTED_H
#define MP_HELP_LISTED_H

#include "lib/core/str.h"

struct mp_help_recordable {
	bool collector; /* else it is an event */
	struct mp_str name, text;
};

/*
 * Splits the next collector or event off the output of "mp-record -l". `r` begins zeroed. Returns
 * false at the end.
 */
bool mp_help_next_recordable(struct mp_str *rest, struct mp_help_recordable *r);

typedef void mp_help_fn(void *arg, struct mp_str name, struct mp_str about);

/*
 * Calls `each` for the fields, or the types of events, at the start of the regular files among the
 * words; a name may come several times. If there is no such file, the fields are those that
 * mp-stream(5) defines. The names have been read from the files and may be of any bytes.
 */
void mp_help_list_fields(char **words, mp_help_fn *each, void *arg);
void mp_help_list_types(char **words, mp_help_fn *each, void *arg);

#endif
