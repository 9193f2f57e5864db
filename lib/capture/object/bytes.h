/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cursor over the bytes of DWARF data, which are hostile input: beyond their end everything reads
 * as 0, and `failed` stays set. Numbers are little-endian, as on every supported architecture.
 * Includes base only.
 */
#ifndef MP_CAPTURE_OBJECT_BYTES_H
#define MP_CAPTURE_OBJECT_BYTES_H

#include <string.h>

#include "lib/core/base.h"

struct mp_bytes {
	const uint8_t *p, *end;
	bool failed;
};

static inline uint64_t mp_bytes_fixed(struct mp_bytes *b, size_t size)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < size) {
		b->failed = true;
		b->p = b->end;
		return 0;
	}
	memcpy(&v, b->p, size);
	b->p += size;
	return v;
}

static inline int64_t mp_bytes_signed(struct mp_bytes *b, size_t size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(mp_bytes_fixed(b, size) << unused) >> unused;
}

/*
 * Reads a LEB128 number with or without a sign; bits above the 64th are dropped. An assembler may
 * have padded the number; too many bytes mean damage.
 */
static inline uint64_t mp_bytes_leb(struct mp_bytes *b, bool has_sign)
{
	enum { LENGTH_MAX = 16 };
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = mp_bytes_fixed(b, 1);
		b->failed |= shift == 7 * LENGTH_MAX;
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->failed);
	if (has_sign && shift < 64 && byte & 0x40)
		v |= ~0ull << shift;
	return v;
}

static inline uint64_t mp_bytes_uleb(struct mp_bytes *b)
{
	return mp_bytes_leb(b, false);
}

static inline int64_t mp_bytes_sleb(struct mp_bytes *b)
{
	return (int64_t)mp_bytes_leb(b, true);
}

static inline void mp_bytes_skip(struct mp_bytes *b, uint64_t len)
{
	if ((uint64_t)(b->end - b->p) < len) {
		b->failed = true;
		len = b->end - b->p;
	}
	b->p += len;
}

#endif
