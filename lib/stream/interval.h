/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time cut into intervals of equal length, which begin at whole multiples of it in UTC where the
 * stream says how its clock relates to that, else on its clock. Includes ctl, clock.
 */
#ifndef MP_STREAM_INTERVAL_H
#define MP_STREAM_INTERVAL_H

#include "lib/core/clock.h"
#include "lib/stream/ctl.h"

struct mp_interval {
	uint64_t length_ns;
	uint64_t number; /* of the one being filled */
	bool filling;
	bool has_offset;
	uint64_t offset_ns; /* realtime - clock (wraps), from the latest header */
};

void mp_interval_header(struct mp_interval *iv, const struct mp_ctl *header);

/* Number of the interval that a time is in. */
uint64_t mp_interval_of(const struct mp_interval *iv, uint64_t time_ns);

/* Where the one being filled begins, on the stream's clock; not before 0. */
uint64_t mp_interval_start(const struct mp_interval *iv);

/* The same as text: "2026-11-20T09:19:05Z", or "71.000000000s". Room for MP_RFC3339_MAX bytes. */
void mp_interval_name(const struct mp_interval *iv, char *to);

#endif
