/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes files that keep the kernel busy for long in a process that nobody waits for.
 * Includes base only.
 */
#ifndef MP_CAPTURE_HOST_DEFERRED_CLOSE_H
#define MP_CAPTURE_HOST_DEFERRED_CLOSE_H

#include "lib/core/base.h"

/*
 * Closes the files. A second process is the last one to have them open, and the kernel closes them
 * when that process ends. If it cannot be started, this call waits until they are closed. Any
 * thread may call this.
 */
void mp_deferred_close(const int *fds, size_t n);

#endif
