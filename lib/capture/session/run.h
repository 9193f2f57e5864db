/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The third step of a recording: from the first event to the last. Includes control, cut_plan,
 * drain, io, journal, link, open, plan, rotation, status.
 */
#ifndef MP_CAPTURE_SESSION_RUN_H
#define MP_CAPTURE_SESSION_RUN_H

#include "lib/capture/host/cut_plan.h"
#include "lib/capture/session/control.h"
#include "lib/capture/session/drain.h"
#include "lib/capture/session/journal.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/open.h"
#include "lib/capture/session/plan.h"
#include "lib/capture/session/rotation.h"
#include "lib/capture/session/status.h"
#include "lib/core/io.h"

/* Must not be moved, since its threads point to it. */
struct mp_record_run {
	struct mp_out *out;	      /* set by the caller, like the next three members */
	struct mp_rotation *rotation; /* NULL: there is one file */
	struct mp_control *control;
	uint64_t began_ns; /* when the program began */
	const struct mp_record_plan *plan;
	struct mp_rings *rings;
	struct mp_bpf_stacks *stacks; /* NULL: no program walks stacks */
	const struct cap_opened_sources *sources;
	struct mp_drain *drain; /* NULL: not started yet, or ended */
	int drain_tid;
	struct mp_cut_plan cut; /* what the writer gets */
	uint64_t from_ns;	/* when all events were enabled */
	char *header;		/* of the stream, JSON */
	struct mp_journal *journal;
	struct mp_status_line status;
	bool unwritten;	     /* the writer's process has ended too early, and no other continues */
	bool command_failed; /* the command could not be executed */
};

/* Starts the threads and the events, and serves the writer until the last event is written. */
void mp_record_run(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k);

/*
 * To be called when the writer has failed: another one continues, until it has written the last
 * event. False: that is impossible.
 */
bool mp_record_run_again(struct mp_record_run *r, struct mp_record_opened *k);
void mp_record_run_release(struct mp_record_run *r);

#endif
