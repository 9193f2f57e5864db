/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was read at a time, memory or counters, on its way through the queue to the writer: a record
 * as the kernel's are. Includes target.
 */
#ifndef MP_CAPTURE_HOST_SAMPLED_H
#define MP_CAPTURE_HOST_SAMPLED_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/capture/host/target.h"

enum { MP_SAMPLED = 0x6d73 }; /* type; bpf/ has those before */

struct mp_sampled_memory {
	uint64_t bytes;
	uint32_t processes; /* of the rest: how many they are */
};

struct mp_sampled_count {
	uint64_t value;
	char share[8]; /* "0.5000", where the counter was shared */
};

struct mp_sampled {
	struct perf_event_header header;
	uint32_t event;	   /* index in struct mp_events */
	int32_t cpu;	   /* -1: none */
	int32_t pid, tid;  /* -1: none */
	uint64_t cgroup;   /* its id; 0: none */
	uint64_t dur_ns;   /* how long the reading took, or the counting */
	uint32_t raw_len;  /* bytes of the payload; the fields behind are not written */
	uint32_t comm_len; /* 0: as the tables of tasks have it */
	union {
		struct mp_sampled_memory memory;
		struct mp_sampled_count count;
	} raw;
	char comm[64];	  /* raw */
	uint64_t time_ns; /* where mp_ring_record_time() looks */
	uint64_t unused;
};

_Static_assert(sizeof(struct mp_sampled) - offsetof(struct mp_sampled, time_ns) == 16,
	       "as behind the kernel's records");

/* Appends a record, of nobody yet; valid until the next. */
static inline struct mp_sampled *mp_sampled_add(struct mp_buf *records, uint32_t event,
						size_t raw_len)
{
	struct mp_sampled r = {
		.header = { .type = MP_SAMPLED, .size = sizeof(r) },
		.event = event,
		.cpu = -1,
		.pid = -1,
		.tid = -1,
		.raw_len = (uint32_t)raw_len,
	};

	mp_buf_add(records, (const char *)&r, sizeof(r));
	return (struct mp_sampled *)(records->p + records->len) - 1;
}

/* Who is sampled. Borrowed. */
struct mp_sample_of {
	const struct mp_target *target; /* CPUs, cgroups */
	const struct mp_pids *pids;	/* these processes, and what they start; empty: others */
	const struct mp_pids *tids;	/* these threads; empty: others */
	const struct mp_pids *exclude;	/* not these processes */
	const char *command;		/* the process waits to become this program; NULL: none */
};

#endif
