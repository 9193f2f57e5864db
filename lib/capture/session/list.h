/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the list of -l. Includes io, tracefs. */
#ifndef MP_CAPTURE_SESSION_LIST_H
#define MP_CAPTURE_SESSION_LIST_H

#include "lib/core/io.h"

/*
 * Lists the collectors and events that match a glob or have a word in their name (NULL: all), under
 * a heading for each kind, indented by two; `verbose`: with their fields, types and the syntax of
 * filters. Returns MP_OK; MP_LOSSY if some kinds cannot be listed, with a message; or MP_FAIL if
 * nothing matches.
 */
enum mp_status mp_list_events(const char *word, bool verbose, struct mp_out *out);

#endif
