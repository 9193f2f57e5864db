/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts offsets in an ELF file to the addresses that its segments (PT_LOAD) state. Includes base
 * only.
 */
#ifndef MP_CAPTURE_OBJECT_SEGMENTS_H
#define MP_CAPTURE_OBJECT_SEGMENTS_H

#include "lib/core/base.h"

struct mp_segment {
	uint64_t offset, addr, size;
};

/* Zeroed memory is valid and empty. */
struct mp_segments {
	struct mp_segment *v;
	size_t n, cap;
};

void mp_segments_add(struct mp_segments *s, uint64_t offset, uint64_t addr, uint64_t size);
void mp_segments_release(struct mp_segments *s);

/* The address of an offset in the file; the offset itself if no segment contains it. */
uint64_t mp_segments_address(const struct mp_segments *s, uint64_t offset);

/*
 * Finds the number that, added to an offset in a range of the file, gives its address. If several
 * segments have parts of the range, the segment with the largest part counts. Returns false if no
 * segment has a part.
 */
bool mp_segments_delta(const struct mp_segments *s, uint64_t offset, uint64_t size,
		       uint64_t *delta);

#endif
