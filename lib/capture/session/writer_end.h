/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of the stream: the last losses, the trailer, the sections of aggregates, messages.
 * Includes cut_plan, writer.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_END_H
#define MP_CAPTURE_SESSION_WRITER_END_H

#include "lib/capture/host/cut_plan.h"
#include "lib/capture/session/writer.h"

/*
 * To be called after mp_writer_end_queue(). Closes the output. Returns whether something was lost, or
 * may be wrong.
 */
bool mp_writer_end(struct mp_writer *w, const struct mp_cut_end *end);

#endif
