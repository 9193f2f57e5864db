/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time divided into intervals of equal length, which begin at whole multiples of it in UTC where
 * the stream says how its clock relates to that, else on its clock. A filter that gives a result
 * for each interval calls mp_interval_advance() for each record, mp_interval_control() for each
 * control line and mp_interval_end() after the last one, and writes its result when one of them is
 * true. With a length of 0 the whole input is one interval. Includes ctl, clock.
 */
#ifndef MP_STREAM_INTERVAL_H
#define MP_STREAM_INTERVAL_H

#include "lib/core/clock.h"
#include "lib/stream/ctl.h"

struct mp_interval_place {
	uint64_t number;    /* the start of the interval, divided by the length */
	uint64_t offset_ns; /* what to add to the clock to get realtime (wraps) */
	bool has_offset;
};

struct mp_interval {
	uint64_t length_ns;

	/* private */
	bool filling;			    /* a record came in the current interval */
	struct mp_interval_place now, over; /* the current interval, the one that ended last */
	bool has_offset;		    /* the latest header had both clocks */
	uint64_t offset_ns;
};

/*
 * Enters the interval of the next record. Returns true if this ends another interval that has
 * records: the caller writes its result, named by mp_interval_name(), and forgets it before it adds
 * the record.
 */
bool mp_interval_advance(struct mp_interval *iv, uint64_t time_ns);

/*
 * Handles a control line. Returns true, as above, if a watermark has passed the end of the current
 * interval.
 */
bool mp_interval_control(struct mp_interval *iv, const struct mp_ctl *ctl);

/*
 * Ends the input. Returns true if there is a result: of the last interval, or of the whole input.
 */
bool mp_interval_end(struct mp_interval *iv);

/* When the interval that ended began, on the stream's clock; not before 0. */
uint64_t mp_interval_start(const struct mp_interval *iv);

/*
 * The start of the interval that ended, as text: "2026-11-20T09:19:05Z", or "71.000000000s". `to`
 * has room for MP_RFC3339_MAX bytes.
 */
void mp_interval_name(const struct mp_interval *iv, char *to);

#endif
