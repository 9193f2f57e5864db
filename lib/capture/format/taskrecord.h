/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the records that are events of their own: task:exec, task:mmap and so on. Includes
 * cut_event, str.
 */
#ifndef MP_CAPTURE_FORMAT_TASKRECORD_H
#define MP_CAPTURE_FORMAT_TASKRECORD_H

#include "lib/capture/host/cut_event.h"
#include "lib/core/str.h"

struct perf_event_header;

/* The task of the event, and a payload with the layout of a sample. */
struct mp_record_parsed {
	int32_t pid, tid;
	struct mp_buf raw; /* the caller releases it; each record overwrites it */
};

/* Parses a complete record. False: it is not a record of this event. */
bool mp_sample_of_record(const struct mp_cut_event *e, const struct perf_event_header *h,
			 struct mp_record_parsed *to);

#endif
