/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A filter for what a program of bpf/tracing.bpf.c records, which applies it itself. Includes
 * tracefs.
 */
#ifndef MP_CAPTURE_EVENT_TRACINGFILTER_H
#define MP_CAPTURE_EVENT_TRACINGFILTER_H

#include "bpf/tracing.h"
#include "lib/capture/event/tracefs.h"

/*
 * An expression (expr.h, but for ~) over the fields of `tp`, with or without a dot before their name.
 * 0, or -1 with `*error` (owned by the caller).
 */
int mp_tracing_filter(struct mp_tracing_setup *setup, const struct mp_tp *tp, const char *text,
		      char **error);

#endif
