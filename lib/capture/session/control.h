/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that stops the recording: at a signal, after a time, at the end of a command, or when
 * the writer asks for it. Each stop is the same: it disables the events and gives the threads that
 * have to finish a real-time priority, so that the recording ends soon on a machine with a hundred
 * other programs that want to run. Includes ring.
 */
#ifndef MP_CAPTURE_SESSION_CONTROL_H
#define MP_CAPTURE_SESSION_CONTROL_H

#include "lib/capture/ring/ring.h"

/* Borrowed until mp_control_end(). */
struct mp_control_setup {
	struct mp_rings *rings;
	bool of_tasks;	    /* the recording ends when all recorded tasks have ended */
	bool closes_slowly; /* the kernel needs long to close the rings */
	int command_fd;	    /* pidfd of the command at whose end the recording ends; -1: none */
	int signal_fd; /* signalfd of the signals that end the recording; they are blocked in all threads */
	int drain_tid; /* threads that have to finish, in addition to the main thread */
	void (*disabled)(void *arg); /* called when the events are disabled */
	void *arg;
};

struct mp_control;

/* Starts the thread; it does nothing before mp_control_go(). `*tid` gets its thread id. */
struct mp_control *mp_control_start(const struct mp_control_setup *setup, int *tid);

/*
 * To be called when all events are enabled: from now on any reason to stop counts, even an earlier
 * one. `duration_ns`: how long to record, 0: until something else stops it.
 */
void mp_control_go(struct mp_control *c, uint64_t duration_ns);

/* Stops the recording, from another thread. */
void mp_control_stop(struct mp_control *c);

/* When the first event was about to be disabled; UINT64_MAX: not yet. */
uint64_t mp_control_stop_ns(const struct mp_control *c);

/* To be called before the rings are closed. The thread remains for a second signal. */
void mp_control_end(struct mp_control *c);

/* Readable once all events are disabled. */
int mp_control_stopped_fd(const struct mp_control *c);

#endif
