/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges the event headers of several inputs into one. Includes ctl. */
#ifndef MP_ORDER_HEADER_H
#define MP_ORDER_HEADER_H

#include "lib/stream/ctl.h"

/*
 * Makes the header of a stream merged from several sections; `headers` is the array of their
 * headers, not empty. A single header stays as it is, except for its clock. `realtime`: times were
 * converted to CLOCK_REALTIME. New reference.
 */
json_t *mp_header_merge(const json_t *headers, bool realtime);

/*
 * Makes the trailer of a stream merged from several sections; `trailers` is the array of the
 * sections' trailers, not empty, with `time` on the clock of the merged stream. A single trailer
 * stays as it is, except for its counts and `bytes`. New reference.
 */
json_t *mp_trailer_merge(const json_t *trailers, uint64_t records, uint64_t lost);

#endif
