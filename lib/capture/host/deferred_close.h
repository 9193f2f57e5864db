/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files whose closing keeps the kernel busy for long, left to a process that nobody waits for.
 * Includes base only.
 */
#ifndef MP_CAPTURE_HOST_DEFERRED_CLOSE_H
#define MP_CAPTURE_HOST_DEFERRED_CLOSE_H

#include "lib/core/base.h"

/*
 * Closes the files. A process of its own is the last that has them, and is kept by the kernel until
 * they are closed; where none can be had, this takes its time. For any thread.
 */
void mp_deferred_close(const int *fds, size_t n);

#endif
