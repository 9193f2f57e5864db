/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a file is a valid, complete and ordered stream by mp-stream(5), and where not.
 * Includes io.
 */
#ifndef MP_ORDER_CHECK_H
#define MP_ORDER_CHECK_H

#include "lib/core/io.h"

/*
 * Reads fd to its end and writes to `out` a line for each of the first faults ("NAME:LINE: what")
 * and one that sums up. Returns MP_OK, MP_LOSSY (something is wrong), or MP_FAIL (no stream at
 * all).
 */
enum mp_status mp_check(int fd, const char *name, struct mp_out *out);

#endif
