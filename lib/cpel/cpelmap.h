/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a stream goes where in a CPEL file: tracks by the values of fields in their natural
 * order, names and codes by event type, and what an event says.
 *
 * Tracks of threads (field tid) and processes (pid) are labelled "comm t<tid>(<pid>)", and the
 * scheduler's events are written twice: as they are on the track of who ran, and on that of whom
 * they are about as event 1 (switched in) or 2 (woken) that say "pid:P tid:T". That is what VPP's
 * cpelatency and cpelstate look for. Which process a thread belongs to is known from any event that
 * has both, later ones too, since labels are made at the end. Includes cpel, rec, map.
 */
#ifndef MP_CPEL_CPELMAP_H
#define MP_CPEL_CPELMAP_H

#include "lib/core/map.h"
#include "lib/cpel/cpel.h"
#include "lib/stream/rec.h"

enum { MP_CPELMAP_FIELDS_MAX = 32 }; /* of a list */

struct mp_cpelmap_style {
	struct mp_fields track;
	struct mp_fields says; /* none: all but those of the track's label, and the stack */
};

struct mp_cpelmap {
	const struct mp_cpelmap_style *style; /* borrowed */
	struct mp_cpel file;
	bool threads, processes;
	struct mp_map tracks; /* values -> struct track; threads: tid, and CPU for 0 */
	struct mp_map types;  /* type -> struct type */
	uint64_t wakings;     /* events of that type that may become wakeups */
	struct mp_buf text;   /* scratch */
};

void mp_cpelmap_init(struct mp_cpelmap *m, const struct mp_cpelmap_style *style);
void mp_cpelmap_release(struct mp_cpelmap *m);

/* An event, not earlier than the one before. */
void mp_cpelmap_add(struct mp_cpelmap *m, const struct mp_rec *rec);

/* Once, at the end; there was an event. */
void mp_cpelmap_write(struct mp_cpelmap *m, uint32_t date_s, struct mp_out *out);

#endif
