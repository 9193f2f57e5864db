/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that events are in order of time, for programs that need that. Includes input. */
#ifndef MP_STREAM_INORDER_H
#define MP_STREAM_INORDER_H

#include "lib/stream/input.h"

struct mp_inorder {
	struct mp_input *in; /* borrowed */
	size_t input;	     /* number of the current input */
	uint64_t last_ns;    /* time of the latest event */
	uint64_t watermark_ns;
	bool has_watermark;
	uint64_t late; /* events earlier than a watermark */
};

void mp_inorder_init(struct mp_inorder *o, struct mp_input *in);

/*
 * Handles a control line: notes watermarks. At a header of events the check begins again, since
 * consecutive sections have clocks of their own, and also at a new input.
 */
void mp_inorder_control(struct mp_inorder *o, const struct mp_ctl *ctl);

/*
 * Checks an event. Returns true if it may be used. One earlier than a watermark can no longer be
 * put in order: it is counted, and false is returned. Any other that goes back in time ends the
 * program, with the remedy.
 */
bool mp_inorder_event(struct mp_inorder *o, const struct mp_rec *rec);

/* Reports how many events came late. Returns the status for main. */
enum mp_status mp_inorder_finish(const struct mp_inorder *o);

#endif
