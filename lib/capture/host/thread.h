/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts threads with all signals blocked, and with real-time priority if requested; priorities of
 * processes. Includes base only.
 */
#ifndef MP_CAPTURE_HOST_THREAD_H
#define MP_CAPTURE_HOST_THREAD_H

#include <pthread.h>
#include <sys/types.h>

#include "lib/core/base.h"

/* Initializes a mutex whose owner gets the priority of a thread that waits for it. */
void mp_thread_mutex(pthread_mutex_t *mutex);

/*
 * Starts a thread with all signals blocked. `realtime` is its SCHED_FIFO priority, 0: none; the
 * thread runs without it if the kernel does not grant it. `*tid` gets its thread id. Ends the
 * program on failure.
 */
void mp_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, int realtime, int *tid);

/*
 * Gives a process with a session of its own the nice value -20, also against other sessions: where
 * the scheduler groups tasks by session (sched(7), autogroup), a nice value holds only within one.
 * Without effect if it is not permitted.
 */
void mp_thread_hurry(pid_t pid);

#endif
