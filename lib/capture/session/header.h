/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of the stream of events. Includes ctl, plan. */
#ifndef MP_CAPTURE_SESSION_HEADER_H
#define MP_CAPTURE_SESSION_HEADER_H

#include "lib/capture/session/plan.h"
#include "lib/stream/ctl.h"

/* Of a recording that begins now. New reference. */
json_t *mp_record_header(const struct mp_record_plan *p);

#endif
