/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last step of a recording: the end of the command, the account, the trailer, sections of
 * sources, messages. Includes open, plan, run.
 */
#ifndef MP_CAPTURE_SESSION_FINISH_H
#define MP_CAPTURE_SESSION_FINISH_H

#include "lib/capture/session/open.h"
#include "lib/capture/session/plan.h"
#include "lib/capture/session/run.h"

/* The results of the previous steps. */
struct mp_record_parts {
	struct mp_record_plan *plan;
	struct mp_record_opened *opened;
	struct mp_record_run *run;
};

/* To be called after mp_record_run(). Closes the output. Returns the status for main. */
enum mp_status mp_record_finish(const struct mp_record_parts *x);

#endif
