/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of numbers in the filter of a tracepoint. Includes tracepoint_format. */
#ifndef MP_CAPTURE_EVENT_FILTER_NAMES_H
#define MP_CAPTURE_EVENT_FILTER_NAMES_H

#include "lib/capture/event/tracepoint_format.h"

/*
 * The filter with each name replaced by its number, "reason==NETFILTER_DROP" by "reason==12", since
 * the kernel compares only numbers; but it knows its functions, "location==ip_rcv" becomes
 * "location.function==ip_rcv ". The name follows ==, != or &, and may be in quotes. All other text is
 * left as it is, for the kernel to judge. Owned by the caller; NULL with `*error` if a field has
 * names, but not this one.
 */
char *mp_tp_filter(const struct mp_tp *tp, const char *filter, char **error);

#endif
