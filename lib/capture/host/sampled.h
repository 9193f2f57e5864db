/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A polled value, of memory or of a counter, as it goes through the queue to the writer: a record
 * in the layout of the kernel's records. Includes target.
 */
#ifndef MP_CAPTURE_HOST_SAMPLED_H
#define MP_CAPTURE_HOST_SAMPLED_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/capture/host/target.h"

/* type of the record; the preceding numbers are types of records in bpf/ */
enum { MP_SAMPLED = 0x6d73 };

struct mp_sampled_memory {
	uint64_t bytes;
	/* in the record "[rest]": the number of processes whose values it adds up */
	uint32_t processes;
};

struct mp_sampled_count {
	uint64_t value;
	char share[8]; /* the share of the time for which a multiplexed counter ran: "0.5000" */
};

struct mp_sampled_ratio {
	uint64_t count, per;
	char share[8];	/* as in mp_sampled_count; always written */
	char value[32]; /* count / per: "1.250000"; not written if `per` is 0 */
};

struct mp_sampled {
	struct perf_event_header header;
	uint32_t event;	  /* index in struct mp_events */
	int32_t cpu;	  /* CPU of the value; -1: none */
	int32_t pid, tid; /* task of the value; -1: none */
	uint64_t cgroup;  /* id of the cgroup; 0: none */
	uint64_t dur_ns;  /* how long the reading took, or, for a counter, the interval */
	uint32_t raw_len; /* bytes of the payload; fields beyond it are not written */
	/* length of comm; 0: the formatter takes the name from its table of tasks */
	uint32_t comm_len;
	union {
		struct mp_sampled_memory memory;
		struct mp_sampled_count count;
		struct mp_sampled_ratio ratio;
	} raw;
	char comm[64];	  /* not escaped */
	uint64_t time_ns; /* mp_record_time() reads it here */
	uint64_t unused;
};

_Static_assert(sizeof(struct mp_sampled) - offsetof(struct mp_sampled, time_ns) == 16,
	       "where the kernel's records have it");

/* Appends a record without CPU and task; it is valid until the next one is added. */
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

/* The CPUs and tasks that are polled. Borrowed. */
struct mp_sample_of {
	const struct mp_target *target; /* CPUs and cgroups */
	const struct mp_pids *pids;	/* processes to read, with their children; may be none */
	const struct mp_pids *tids;	/* threads to read; may be none */
	const struct mp_pids *exclude;	/* processes to exclude */
	/* the name of the program that the waiting process will execute, or NULL */
	const char *command;
};

#endif
