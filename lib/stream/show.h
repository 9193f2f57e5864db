/* SPDX-License-Identifier: GPL-2.0-only */
/* Event lines for people at a terminal. Includes rec. */
#ifndef MP_STREAM_SHOW_H
#define MP_STREAM_SHOW_H

#include "lib/stream/rec.h"

/*
 * Formats a line of the stream (with LF) for people: time in seconds, name and tid, CPU, type,
 * payload, and the stack below it, leaf first. Safe for a terminal. A line that is not an event is
 * unchanged. The result is in `buf`.
 */
struct mp_str mp_show_line(struct mp_buf *buf, struct mp_str line);

#endif
