/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on what it costs to read one file. Files are hostile input: a few bytes of them can
 * state any size and any number. Includes base only.
 */
#ifndef MP_CAPTURE_OBJECT_LIMIT_H
#define MP_CAPTURE_OBJECT_LIMIT_H

#include "lib/core/base.h"

enum { MP_LIMIT_BYTES = 64 << 20 };

/* Begins with MP_LIMIT_INIT. */
struct mp_limit {
	size_t bytes;	    /* how much may still be read into memory, or made of what was read */
	const char *reason; /* the first thing that was too large, for the report; NULL: none */
};

#define MP_LIMIT_INIT ((struct mp_limit){ .bytes = MP_LIMIT_BYTES })

/* Notes that something is too large. */
static inline void mp_limit_exceed(struct mp_limit *l, const char *reason)
{
	if (!l->reason)
		l->reason = reason;
}

/* Takes `bytes`. False, with `reason` noted: the limit does not allow it. */
static inline bool mp_limit_take(struct mp_limit *l, uint64_t bytes, const char *reason)
{
	if (bytes > l->bytes) {
		mp_limit_exceed(l, reason);
		return false;
	}
	l->bytes -= bytes;
	return true;
}

/* Gives back what is no longer in memory. */
static inline void mp_limit_give(struct mp_limit *l, size_t bytes)
{
	l->bytes += bytes;
}

#endif
