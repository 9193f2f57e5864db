/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts samples of the kernel to event lines of mp-stream(5). Includes chain_text, cut_event,
 * pending_stacks, target, unwind_stats, value_name, walk_tables.
 */
#ifndef MP_CAPTURE_FORMAT_FORMAT_H
#define MP_CAPTURE_FORMAT_FORMAT_H

#include <linux/perf_event.h>

#include "lib/capture/format/value_name.h"
#include "lib/capture/host/cut_event.h"
#include "lib/capture/host/target.h"
#include "lib/capture/format/late_texts.h"
#include "lib/capture/stack/chain_text.h"
#include "lib/capture/stack/pending_stacks.h"
#include "lib/capture/stack/unwind_stats.h"
#include "lib/capture/stack/walk_tables.h"

/* A parsed sample; its pointers point into the record. */
struct mp_sample {
	int32_t pid, tid; /* ids of the task; -1: the task is exiting */
	uint64_t time_ns;
	uint64_t addr, period, cgroup;
	/* of a memory access: its latency in cycles, and its source, see datasrc.h */
	uint64_t latency, source;
	const uint64_t *ips;
	size_t n_ips;
	const char *raw; /* the raw data; NULL: the sample has none */
	uint32_t raw_len;
	struct mp_dump dump;
	uint64_t dur_ns; /* duration of a polling; written if the event's context includes it */
};

/* Parses a record by the event's sample_type. Returns 0, or -1 if the record is too short. */
int mp_sample_parse(struct mp_sample *s, const struct mp_cut_event *e,
		    const struct perf_event_header *h);

struct mp_formatter {
	struct mp_tasks *tasks;
	struct mp_chain_texts *stacks;
	struct mp_unwinder *unwinder;
	struct mp_cgroup_names *cgroups; /* set by the caller if an event has them */
	struct mp_str *heads;		 /* by event: ",sched:sched_switch," */
	size_t n_events;
	struct mp_buf line;
	struct mp_value_names names;
	uint64_t *ips; /* addresses of the current chain */
	size_t cap_ips;
	struct mp_unwind_stats unwound;
	uint64_t pointers; /* texts that were not in memory, and whose pointers were written */
	struct mp_pending_stacks chains;
	struct mp_late_texts late;
	struct mp_walk_tables *tables; /* borrowed; NULL: stacks are not walked by BPF */
	bool inner;		       /* mp_cut_plan.inner; set by the caller */
};

void mp_formatter_init(struct mp_formatter *f, const struct mp_cut_events *events,
		       struct mp_tasks *tasks, struct mp_chain_texts *stacks,
		       struct mp_unwinder *unwinder);
void mp_formatter_release(struct mp_formatter *f);

/* The task of a sample. */
struct mp_task *mp_formatter_task(struct mp_formatter *f, const struct mp_cut_event *e,
				  const struct mp_sample *s);

/*
 * Unwinds the user stack that a BPF program copied at `time_ns`: writes at most `max` addresses,
 * leaf first. Returns MP_UNWIND_NO_TABLES if there is no such copy.
 */
enum mp_unwind_end mp_formatter_copied(struct mp_formatter *f, pid_t tid, uint64_t time_ns,
				       const struct mp_space *space, uint64_t *ips, size_t max,
				       size_t *n);

/* The line of a sample, with its LF; valid until the next call. `event` is the index of `e`. */
struct mp_str mp_formatter_line(struct mp_formatter *f, const struct mp_cut_event *e, size_t event,
				const struct mp_sample *s, struct mp_task *task, int cpu);

#endif
