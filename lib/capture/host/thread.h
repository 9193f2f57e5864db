/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts threads with all signals blocked, and with real-time priority if requested. Includes base
 * only.
 */
#ifndef MP_CAPTURE_HOST_THREAD_H
#define MP_CAPTURE_HOST_THREAD_H

#include <pthread.h>

#include "lib/core/base.h"

/* Initializes a mutex whose owner gets the priority of a thread that waits for it. */
void mp_thread_mutex(pthread_mutex_t *mutex);

/*
 * Starts a thread with all signals blocked. `realtime` is its SCHED_FIFO priority, 0: none; the
 * thread runs without it if the kernel does not grant it. `*tid` gets its thread id. Ends the
 * program on failure.
 */
void mp_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, int realtime, int *tid);

#endif
