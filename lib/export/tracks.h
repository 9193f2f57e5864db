/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracks of a trace for Perfetto: threads, processes, counters. Includes trace. */
#ifndef MP_EXPORT_TRACKS_H
#define MP_EXPORT_TRACKS_H

#include "lib/core/intmap.h"
#include "lib/export/trace.h"

enum { MP_EXPORT_LANES_MAX = 16 }; /* tracks of a thread, for spans that are not nested */

struct mp_export_thread;

struct mp_export_tracks {
	struct mp_export_trace *trace; /* borrowed */

	/* private */
	struct mp_intmap threads;   /* number of a thread + 1 -> struct mp_export_thread */
	struct mp_intmap processes; /* number of a process + 1 -> its track */
	struct mp_map counters;	    /* parent and name -> track */
	struct mp_arena arena;
	uint64_t used; /* numbers of tracks */
};

void mp_export_tracks_init(struct mp_export_tracks *k, struct mp_export_trace *trace);
void mp_export_tracks_release(struct mp_export_tracks *k);

/* Who and where an event was: p == NULL and has_... false if it does not say it. */
struct mp_export_context {
	uint64_t time_ns;
	struct mp_str comm, cgroup; /* escaped */
	uint32_t cpu, pid, tid;
	bool has_cpu, has_pid, has_tid;
};

/*
 * The thread of an event, which is described when it is new or has a new name. One without a number
 * is that of all events that are of none.
 */
struct mp_export_thread *mp_export_thread(struct mp_export_tracks *k,
					  const struct mp_export_context *c);

/* The track of a thread for what has no duration. */
uint64_t mp_export_thread_track(const struct mp_export_thread *thread);

/*
 * The track of a thread for a span: Perfetto takes spans of a track for nested, so that one which
 * begins within another and ends after it has another track. 0: too many spans overlap.
 */
uint64_t mp_export_span_track(struct mp_export_tracks *k, struct mp_export_thread *thread,
			      uint64_t begin_ns, uint64_t end_ns);

/* The track of a counter of this type: of a cgroup, a thread or process, a CPU, or of none. */
uint64_t mp_export_counter_track(struct mp_export_tracks *k, const struct mp_export_context *c,
				 struct mp_str type);

/* A new track of the whole trace. */
uint64_t mp_export_track(struct mp_export_tracks *k, struct mp_str name);

#endif
