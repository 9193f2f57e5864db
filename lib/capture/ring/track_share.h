/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of users in the part of the queue that is for records of tasks. A program can make a
 * million such records a second (mappings, new names); what exceeds the share of its user is
 * dropped before it takes the room of others, and counted. Forks, exits and execve() are never
 * dropped: they cost their user enough. Includes budget, queue, record.
 */
#ifndef MP_CAPTURE_RING_TRACK_SHARE_H
#define MP_CAPTURE_RING_TRACK_SHARE_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/record.h"
#include "lib/capture/ring/queue.h"

enum { MP_TRACK_REFUSALS = 8 };

struct mp_track_share {
	struct mp_budget budget;
	struct mp_intmap uids; /* users of processes, + 1, as far as they had to be found out */
	uint64_t window_ns;    /* when the amounts were last given back */
	uint64_t bytes;	       /* admitted since then */
	struct mp_record_refused refused[MP_TRACK_REFUSALS]; /* by user, not reported yet */
	size_t n_refused;
};

void mp_track_share_init(struct mp_track_share *s, const char *subuid);
void mp_track_share_release(struct mp_track_share *s);

/*
 * To be called before rings are drained; `queued`: bytes of records of tasks that wait in the
 * queue.
 */
void mp_track_share_begin(struct mp_track_share *s, uint64_t now_ns, size_t queued);

/* Whether a record may go into the queue. */
bool mp_track_share_admits(struct mp_track_share *s, const struct perf_event_header *record);

/* Puts a record for each user whose records were refused since the previous call. */
void mp_track_share_report(struct mp_track_share *s, struct mp_queue_filler *filler);

#endif
