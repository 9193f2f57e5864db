/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps a stream to a CPEL file: makes tracks by the values of fields, in natural order, names and
 * codes by event type, and the text of each event.
 *
 * Tracks of threads (field tid) and processes (pid) are labelled "comm t<tid>(<pid>)", and the
 * scheduler's events are written twice: as they are, on the track of the task that ran; and on the
 * track of the task that they are about, as event 1 (switched in) or 2 (woken) that say "pid:P
 * tid:T". That is what VPP's cpelatency and cpelstate look for. Which process a thread belongs to
 * is known from any event that has both ids, even a later one, since labels are made at the end.
 * Losses are events on a track of their own, the first one.
 *
 * Spans of mp-sched become two events, "run begin" and "run end"; the begins of run and wait have
 * the codes 1 and 2, unless the scheduler's own events have them. Includes cpel, ctl, map.
 */
#ifndef MP_CPEL_CPELMAP_H
#define MP_CPEL_CPELMAP_H

#include "lib/core/map.h"
#include "lib/cpel/cpel.h"
#include "lib/stream/ctl.h"

enum { MP_CPELMAP_FIELDS_MAX = 32 }; /* length of a list of fields */

struct mp_cpelmap_style {
	struct mp_fields track;
	/*
	 * fields in the text of an event; none: all but those in the track's label, and the stack
	 */
	struct mp_fields says;
};

struct mp_cpelmap_loss {
	uint64_t time_ns;
	uint32_t datum;
};

struct mp_cpelmap {
	const struct mp_cpelmap_style *style; /* borrowed */
	struct mp_cpel file;
	bool threads, processes;
	/* values of the track's fields -> struct track; for threads: tid, and the CPU for tid 0 */
	struct mp_map tracks;
	struct mp_map types; /* type -> struct type */
	uint64_t wakings;    /* number of sched_waking events, which may be shown as wakeups */
	uint64_t last_ns;    /* time of the latest event in the file */
	struct mp_cpelmap_loss *losses; /* since then */
	size_t n_losses, cap_losses;
	bool has_losses;    /* there was one, perhaps written */
	struct mp_buf text; /* scratch */
};

void mp_cpelmap_init(struct mp_cpelmap *m, const struct mp_cpelmap_style *style);
void mp_cpelmap_release(struct mp_cpelmap *m);

/* Adds an event, not earlier than the previous one. */
void mp_cpelmap_add(struct mp_cpelmap *m, const struct mp_rec *rec);

/*
 * Adds a loss of events. Its place in the file is in order of time, even if that of its line is
 * not, and not before the first event.
 */
void mp_cpelmap_lost(struct mp_cpelmap *m, const struct mp_ctl *loss);

/* Writes the file. To be called once, at the end; there must have been an event. */
void mp_cpelmap_write(struct mp_cpelmap *m, uint32_t date_s, struct mp_out *out);

#endif
