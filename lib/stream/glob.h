/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Globs over text of the stream, as the kernel's event filters have them: * any bytes, ? one byte,
 * [a-z] one of a class, [!a-z] one outside, \ before a byte that means itself. A class without its
 * ] is plain text. By bytes, whatever the locale. The method is that of lib/stream/glob.c of Linux.
 * Includes str only.
 */
#ifndef MP_STREAM_GLOB_H
#define MP_STREAM_GLOB_H

#include "lib/core/str.h"

struct mp_glob {
	struct mp_str pattern; /* borrowed */
	enum {
		MP_GLOB_EXACT,
		MP_GLOB_PREFIX,
		MP_GLOB_SUFFIX,
		MP_GLOB_INFIX,
		MP_GLOB_GENERAL,
	} shape;
	struct mp_str literal; /* text that every match contains; not for MP_GLOB_GENERAL */
};

void mp_glob_init(struct mp_glob *g, struct mp_str pattern);

/* Whether the glob matches the decoded form of an escaped text; never allocates. */
bool mp_glob_match(const struct mp_glob *g, struct mp_str escaped);

/* Whether a pattern matches a text that has no escapes, such as a name from the system. */
bool mp_glob_plain(const char *pattern, const char *text);

#endif
