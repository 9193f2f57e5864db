/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's records other than samples, as linux/perf_event.h describes them. Each is followed
 * by the sample_id of its event. Includes str.
 */
#ifndef MP_CAPTURE_HOST_RECORD_H
#define MP_CAPTURE_HOST_RECORD_H

#include <linux/perf_event.h>
#include <string.h>

#include "lib/core/str.h"

struct mp_record_lost {
	struct perf_event_header header;
	uint64_t id;
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

/* The payload of task:mmap and similar events: what these records say; texts follow it. */
struct mp_record_payload {
	uint64_t addr, bytes, offset;
	int32_t pid, tid;
	uint32_t file; /* length and offset, as in __data_loc */
	char prot[4];
};

/* The sample_id of our events: PERF_SAMPLE_TID, TIME, IDENTIFIER. */
struct mp_record_id {
	int32_t pid, tid;
	uint64_t time_ns, id;
};

/* type of the record; host/cut.h has lower numbers */
enum { MP_TRACK_REFUSED = 0x6d80 };

/* How many records were dropped because they exceeded the share of a user. */
struct mp_record_refused {
	struct perf_event_header header;
	uint32_t kind, unused; /* an enum mp_budget_kind */
	uint32_t uid, pid;     /* of the first one */
	uint64_t n;
	char file[128]; /* of the mapping, truncated; "": none */
	struct mp_record_id id;
};

static inline const struct mp_record_id *mp_record_id(const struct perf_event_header *h)
{
	return (const struct mp_record_id *)((const char *)h + h->size) - 1;
}

/* A text at the end of a record, which the kernel pads with NULs. */
static inline struct mp_str mp_record_text(const struct perf_event_header *h, const char *text)
{
	const char *end = (const char *)mp_record_id(h);

	return (struct mp_str){ text, end > text ? strnlen(text, end - text) : 0 };
}

/* Time of a record: in samples it follows id and tid; in others it is 16 bytes before their end. */
static inline uint64_t mp_record_time(const struct perf_event_header *h)
{
	enum { SAMPLE_TIME_AT = 24, TIME_FROM_END = 16 };
	uint64_t time = 0;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= SAMPLE_TIME_AT + sizeof(time))
		memcpy(&time, (const char *)h + SAMPLE_TIME_AT, sizeof(time));
	else if (h->size >= sizeof(*h) + TIME_FROM_END)
		memcpy(&time, (const char *)h + h->size - TIME_FROM_END, sizeof(time));
	return time;
}

#endif
