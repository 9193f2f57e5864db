/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of traced functions and raw tracepoints, which bpf/tracing.bpf.c applies in the kernel.
 * Includes tracefs.
 */
#ifndef MP_CAPTURE_EVENT_TRACINGFILTER_H
#define MP_CAPTURE_EVENT_TRACINGFILTER_H

#include "bpf/tracing.h"
#include "lib/capture/event/tracefs.h"

/*
 * Parses an expression (expr.h, without ~) over the fields of `tp`, with or without a dot before
 * their name. Returns 0, or -1 with `*error` (owned by the caller).
 */
int mp_tracing_filter(struct mp_tracing_setup *setup, const struct mp_tp *tp, const char *text,
		      char **error);

#endif
