/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting a thread the way mp-record needs it. Includes base only. */
#ifndef MP_CAPTURE_HOST_THREAD_H
#define MP_CAPTURE_HOST_THREAD_H

#include <pthread.h>

#include "lib/core/base.h"

/*
 * Starts a thread with all signals blocked. `realtime`: SCHED_FIFO priority, 0 for none; if it is
 * not granted, that is said once and the thread runs without. `*tid`: its thread id. Ends the
 * program on failure.
 */
void mp_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, int realtime, int *tid);

#endif
