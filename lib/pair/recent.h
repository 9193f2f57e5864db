/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The latest lines of an input, numbered, as many as a bound of bytes allows. Includes str only.
 */
#ifndef MP_PAIR_RECENT_H
#define MP_PAIR_RECENT_H

#include "lib/core/str.h"

struct mp_recent {
	size_t limit; /* bytes of text and index that may be held */
	char *text;   /* a ring; a line does not wrap */
	size_t cap, start, end;
	struct mp_recent_line *lines; /* a ring by number */
	size_t lines_cap;	      /* a power of two */
	uint64_t first, next;	      /* numbers held: first <= n < next */
};

/* The limit holds for what is more than one line. */
void mp_recent_init(struct mp_recent *r, size_t limit);
void mp_recent_release(struct mp_recent *r);

/* One more line; its number is `next` before the call. The oldest go where there is no room. */
void mp_recent_add(struct mp_recent *r, struct mp_str line);

/* Lines before this number are not needed any more. */
void mp_recent_drop(struct mp_recent *r, uint64_t before);

/* A line that is held; valid until the next one is added. */
struct mp_str mp_recent_get(const struct mp_recent *r, uint64_t number);

#endif
