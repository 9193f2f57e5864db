/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether a file is a valid, complete and ordered stream as mp-stream(5) defines it.
 * Includes io.
 */
#ifndef MP_ORDER_CHECK_H
#define MP_ORDER_CHECK_H

#include "lib/core/io.h"

/*
 * Reads fd to its end and writes to `out` a line for each of the first faults ("NAME:LINE: what"),
 * then a summary. Returns MP_OK, MP_LOSSY if something is wrong, or MP_FAIL if it is not a stream
 * at all.
 */
enum mp_status mp_check(int fd, const char *name, struct mp_out *out);

#endif
