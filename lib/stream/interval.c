// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/interval.h"

#include <stdio.h>

static struct mp_interval_place place_of(const struct mp_interval *iv, uint64_t time_ns)
{
	uint64_t offset_ns = iv->has_offset ? iv->offset_ns : 0;

	return (struct mp_interval_place){ (time_ns + offset_ns) / iv->length_ns, offset_ns,
					   iv->has_offset };
}

/* Ends the current interval. Returns true if it had a record. */
static bool end(struct mp_interval *iv)
{
	bool result = iv->filling;

	iv->filling = false;
	iv->over = iv->now;
	return result;
}

bool mp_interval_advance(struct mp_interval *iv, uint64_t time_ns)
{
	struct mp_interval_place place;
	bool result;

	if (!iv->length_ns)
		return false;
	place = place_of(iv, time_ns);
	if (iv->filling && place.number == iv->now.number)
		return false;
	result = end(iv);
	iv->now = place;
	iv->filling = true;
	return result;
}

bool mp_interval_control(struct mp_interval *iv, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER) {
		iv->has_offset = ctl->has_anchor;
		iv->offset_ns = ctl->realtime_ns - ctl->clock_ns;
	}
	return ctl->what == MP_CTL_WATERMARK && iv->filling &&
	       place_of(iv, ctl->time_ns).number > iv->now.number && end(iv);
}

bool mp_interval_end(struct mp_interval *iv)
{
	return end(iv) || !iv->length_ns;
}

uint64_t mp_interval_start(const struct mp_interval *iv)
{
	uint64_t start = iv->over.number * iv->length_ns - iv->over.offset_ns;

	return start > INT64_MAX ? 0 : start;
}

void mp_interval_name(const struct mp_interval *iv, char *to)
{
	uint64_t start = iv->over.number * iv->length_ns;
	size_t len;

	if (!iv->over.has_offset) {
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
