/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the loaded parts of a file (PT_LOAD) are in memory, in the file's own terms. Includes base only. */
#ifndef MP_CAPTURE_OBJECT_SEGMENTS_H
#define MP_CAPTURE_OBJECT_SEGMENTS_H

#include "lib/core/base.h"

struct mp_segment {
	uint64_t offset, addr, size;
};

/* Zeroed memory is a valid empty one. */
struct mp_segments {
	struct mp_segment *v;
	size_t n, cap;
};

void mp_segments_add(struct mp_segments *s, uint64_t offset, uint64_t addr, uint64_t size);
void mp_segments_release(struct mp_segments *s);

/* The address of an offset in the file; the offset itself if no segment has it. */
uint64_t mp_segments_address(const struct mp_segments *s, uint64_t offset);

/*
 * What to add to an offset in a stretch of the file to get the address; of several segments that of
 * the one that has most of it. False if none has any.
 */
bool mp_segments_delta(const struct mp_segments *s, uint64_t offset, uint64_t size,
		       uint64_t *delta);

#endif
