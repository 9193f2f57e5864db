/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the latest lines of an input, numbered, up to a limit of bytes. Includes str only.
 */
#ifndef MP_PAIR_RECENT_H
#define MP_PAIR_RECENT_H

#include "lib/core/str.h"

struct mp_recent {
	size_t limit; /* the most bytes of text and index */
	char *text;   /* a ring; a line does not wrap */
	size_t cap, start, end;
	struct mp_recent_line *lines; /* a ring by number */
	size_t lines_cap;	      /* a power of two */
	uint64_t first, next;	      /* numbers of the lines kept: first <= n < next */
};

/* A single line may exceed the limit. */
void mp_recent_init(struct mp_recent *r, size_t limit);
void mp_recent_release(struct mp_recent *r);

/* Adds a line; its number is `next` before the call. The oldest lines make room for it. */
void mp_recent_add(struct mp_recent *r, struct mp_str line);

/* Drops the lines before this number. */
void mp_recent_drop(struct mp_recent *r, uint64_t before);

/* A line that is kept; valid until the next one is added. */
struct mp_str mp_recent_get(const struct mp_recent *r, uint64_t number);

#endif
