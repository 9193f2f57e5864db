/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the header of the stream of events. Includes control, ctl, plan. */
#ifndef MP_CAPTURE_SESSION_HEADER_H
#define MP_CAPTURE_SESSION_HEADER_H

#include "lib/capture/session/control.h"
#include "lib/capture/session/plan.h"
#include "lib/stream/ctl.h"

/* The header of a recording that has begun. New reference. */
json_t *mp_record_header(const struct mp_record_plan *p, const struct mp_control_started *started);

#endif
