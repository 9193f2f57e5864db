/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the collector hands to the writer before the first record, and after the last. Includes
 * cut_plan, open, plan.
 */
#ifndef MP_CAPTURE_SESSION_HANDOVER_H
#define MP_CAPTURE_SESSION_HANDOVER_H

#include "lib/capture/host/cut_plan.h"
#include "lib/capture/session/open.h"
#include "lib/capture/session/plan.h"

/* Makes the writer's plan from what is open. */
void mp_record_hand_over(const struct mp_record_plan *p, const struct mp_record_opened *k,
			 struct mp_cut_plan *to);

/*
 * Reads the counters, and makes the members of trailers. `command_status` is the exit status of the
 * command, if there is one.
 */
void mp_record_hand_over_end(const struct mp_record_plan *p, const struct mp_record_opened *k,
			     int command_status, struct mp_cut_end *to);

#endif
