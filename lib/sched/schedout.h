/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans of the scheduler as lines of mp-stream(5), and the header that describes them.
 * Includes sched, relay.
 */
#ifndef MP_SCHED_SCHEDOUT_H
#define MP_SCHED_SCHEDOUT_H

#include "lib/stream/relay.h"
#include "lib/sched/sched.h"

/* Adds the line of a span, with its LF. `host` may be empty; it is escaped already. */
void mp_sched_span_add(struct mp_buf *to, const struct mp_sched_span *span, struct mp_str host);

/*
 * For mp_relay: makes a header that of spans; with `others`, of the events that were there too.
 */
void mp_sched_header(json_t *header, bool others);

#endif
