/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges the event headers of several inputs into one. Includes ctl. */
#ifndef MP_ORDER_HEADER_H
#define MP_ORDER_HEADER_H

#include "lib/stream/ctl.h"

/*
 * The header of a stream that was merged of sections: an array of their headers, not empty. One
 * header stays as it is but for the clock. `realtime`: times were put on CLOCK_REALTIME. New
 * reference.
 */
json_t *mp_header_merge(const json_t *headers, bool realtime);

/*
 * The trailer of that stream: an array of the sections' trailers, their `time` on the clock of the
 * merged stream; not empty. One trailer stays as it is but for the counts and `bytes`. New
 * reference.
 */
json_t *mp_trailer_merge(const json_t *trailers, uint64_t records, uint64_t lost);

#endif
