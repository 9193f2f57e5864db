/* SPDX-License-Identifier: GPL-2.0-only */
/* What -l prints. Includes io, tracefs. */
#ifndef MP_CAPTURE_SESSION_LIST_H
#define MP_CAPTURE_SESSION_LIST_H

#include "lib/core/io.h"

/*
 * Lists the events that match a glob (NULL: all), each with its kind; `verbose`: with their fields,
 * types and the syntax of filters. Returns MP_OK; MP_LOSSY if some kinds cannot be listed, with a
 * message; or MP_FAIL if nothing matches.
 */
enum mp_status mp_list_events(const char *glob, bool verbose, struct mp_out *out);

#endif
