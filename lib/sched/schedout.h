/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes spans of the scheduler as lines of mp-stream(5), and the header that describes them.
 * Includes sched, relay.
 */
#ifndef MP_SCHED_SCHEDOUT_H
#define MP_SCHED_SCHEDOUT_H

#include "lib/sched/sched.h"
#include "lib/stream/relay.h"

/* Adds the line of a span, with LF. `host` is escaped, and may be empty. */
void mp_sched_span_add(struct mp_buf *to, const struct mp_sched_span *span, struct mp_str host);

/*
 * For mp_relay: changes the header of the input to that of spans. With `others` it keeps the
 * input's events, too.
 */
void mp_sched_header(json_t *header, bool others);

#endif
