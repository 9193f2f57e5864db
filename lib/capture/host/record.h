/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's records other than samples, as linux/perf_event.h describes them. The sample_id of
 * its event follows each. Includes base only.
 */
#ifndef MP_CAPTURE_HOST_RECORD_H
#define MP_CAPTURE_HOST_RECORD_H

#include <linux/perf_event.h>

#include "lib/core/base.h"

struct mp_record_lost {
	struct perf_event_header header;
	uint64_t id; /* here session/writer.c stores the time of the preceding record */
	uint64_t lost;
};

struct mp_record_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct mp_record_fork { /* PERF_RECORD_EXIT has the same layout */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mp_record_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	char filename[];
};

/* The sample_id of our events: PERF_SAMPLE_TID, TIME, IDENTIFIER. */
struct mp_record_id {
	int32_t pid, tid;
	uint64_t time_ns, id;
};

static inline const struct mp_record_id *mp_record_id(const struct perf_event_header *h)
{
	return (const struct mp_record_id *)((const char *)h + h->size) - 1;
}

#endif
