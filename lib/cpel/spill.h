/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that are written once and read once, in order: in memory as long as they are few, then in a
 * temporary file that has no name, so that it goes with the process. Includes str only.
 */
#ifndef MP_CPEL_SPILL_H
#define MP_CPEL_SPILL_H

#include "lib/core/str.h"

enum { MP_SPILL_KEPT = 4 << 20 }; /* bytes in memory */

struct mp_spill {
	char *buf;
	size_t len, cap;
	size_t at;	/* reading: what was given out of buf */
	int fd;		/* -1: all of it is in memory */
	uint64_t bytes; /* written in all */
};

/* A file is made in $TMPDIR (default /tmp) when it is needed. No room ends the program. */
void mp_spill_init(struct mp_spill *s);
void mp_spill_release(struct mp_spill *s);

void mp_spill_more(struct mp_spill *s, const void *data, size_t len);

static inline void mp_spill_add(struct mp_spill *s, const void *data, size_t len)
{
	if (s->cap - s->len < len) {
		mp_spill_more(s, data, len);
		return;
	}
	if (len)
		memcpy(s->buf + s->len, data, len);
	s->len += len;
	s->bytes += len;
}

/* Ends writing; then up to `len` bytes at a time: fewer only at the end, 0 behind it. */
void mp_spill_rewind(struct mp_spill *s);
size_t mp_spill_read(struct mp_spill *s, void *to, size_t len);

#endif
