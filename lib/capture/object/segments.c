// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/segments.h"

#include <stdlib.h>

void mp_segments_add(struct mp_segments *s, uint64_t offset, uint64_t addr, uint64_t size)
{
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct mp_segment){ offset, addr, size };
}

void mp_segments_release(struct mp_segments *s)
{
	free(s->v);
	*s = (struct mp_segments){ NULL, 0, 0 };
}

uint64_t mp_segments_address(const struct mp_segments *s, uint64_t offset)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (offset >= s->v[i].offset && offset - s->v[i].offset < s->v[i].size)
			return offset - s->v[i].offset + s->v[i].addr;
	return offset;
}

bool mp_segments_delta(const struct mp_segments *s, uint64_t offset, uint64_t size, uint64_t *delta)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		uint64_t from = MP_MAX(offset, s->v[i].offset);
		uint64_t to = MP_MIN(offset + size, s->v[i].offset + s->v[i].size);

		if (to <= from || to - from <= most)
			continue;
		most = to - from;
		*delta = s->v[i].addr - s->v[i].offset;
	}
	return most > 0;
}
