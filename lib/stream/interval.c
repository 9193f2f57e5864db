// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/interval.h"

#include <stdio.h>

void mp_interval_header(struct mp_interval *iv, const struct mp_ctl *header)
{
	iv->has_offset = header->has_anchor;
	iv->offset_ns = header->realtime_ns - header->clock_ns;
}

uint64_t mp_interval_of(const struct mp_interval *iv, uint64_t time_ns)
{
	return (time_ns + (iv->has_offset ? iv->offset_ns : 0)) / iv->length_ns;
}

uint64_t mp_interval_start(const struct mp_interval *iv)
{
	uint64_t start = iv->number * iv->length_ns, offset = iv->has_offset ? iv->offset_ns : 0;

	start -= offset;
	return start > INT64_MAX ? 0 : start;
}

void mp_interval_name(const struct mp_interval *iv, char *to)
{
	uint64_t start = iv->number * iv->length_ns;
	size_t len;

	if (!iv->has_offset) {
		snprintf(to, MP_RFC3339_MAX, "%llu.%09llus",
			 (unsigned long long)(start / MP_NS_PER_SEC),
			 (unsigned long long)(start % MP_NS_PER_SEC));
		return;
	}
	mp_rfc3339(to, start, false);
	len = sizeof("2026-11-20T09:19:00") - 1;
	if (iv->length_ns % MP_NS_PER_SEC)
		len += sizeof(".000000000") - 1;
	to[len++] = 'Z';
	to[len] = '\0';
}
