// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/cut.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

void mp_cut_places_release(struct mp_cut_places *places)
{
	size_t i;

	for (i = 0; i < places->n; i++) {
		free(places->v[i].provider);
		free(places->v[i].name);
		free(places->v[i].args);
	}
	free(places->v);
	free(places->path);
	*places = (struct mp_cut_places){ .n = 0 };
}

void mp_cut_record_put(void *to, enum mp_cut_record type, const void *body, size_t len,
		       uint64_t time_ns)
{
	const struct mp_cut_tail tail = { .time_ns = time_ns };
	const struct perf_event_header header = { .type = type,
						  .size = (uint16_t)mp_cut_record_size(len) };

	memcpy(to, &header, sizeof(header));
	if (len)
		memcpy((char *)to + sizeof(header), body, len);
	memcpy((char *)to + sizeof(header) + len, &tail, sizeof(tail));
}

const void *mp_cut_record_body(const struct perf_event_header *record, size_t *len)
{
	size_t least = mp_cut_record_size(0);

	*len = record->size < least ? 0 : record->size - least;
	return record + 1;
}
