/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that are written once and then read once, in order: in memory while they are few, then in a
 * temporary file that has no name, so that it disappears with the process. Meanwhile each part can
 * be read. Includes str only.
 */
#ifndef MP_CORE_SPILL_H
#define MP_CORE_SPILL_H

#include "lib/core/str.h"

struct mp_spill {
	char *buf;
	size_t len, cap;
	size_t kept;	    /* bytes in memory at most */
	const char *remedy; /* remedy in the message when the disk has no room for the file */
	size_t at;	    /* when reading: how many bytes of buf were read */
	int fd;		    /* the temporary file; -1: all bytes are in memory */
	uint64_t bytes;	    /* bytes written in total */
};

/*
 * Makes a file in $TMPDIR (default /tmp) once there are more than `kept` bytes. If there is no
 * room, the program ends with a message that ends in "(remedy)".
 */
void mp_spill_init(struct mp_spill *s, size_t kept, const char *remedy);
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

/* Reads `len` bytes from `at` on, which were written, while more may be written. */
void mp_spill_read_at(struct mp_spill *s, uint64_t at, char *to, size_t len);

/*
 * mp_spill_rewind() ends the writing; may be called again to read again. mp_spill_read() reads up
 * to `len` bytes: fewer only at the end, and 0 after it.
 */
void mp_spill_rewind(struct mp_spill *s);
size_t mp_spill_read(struct mp_spill *s, void *to, size_t len);

#endif
