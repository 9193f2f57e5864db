/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that starts and stops the recording, and answers signals from the first step of the
 * program to its end. It has real-time priority where that is permitted, and sleeps most of the
 * time, so that events are enabled for the requested time even on a machine with a hundred other
 * runnable programs. A signal, the end of the duration or of the command, or the writer stops the
 * recording. Each stop is the same: the thread disables the events, and gives real-time priority to
 * the threads that still have work to do. Includes ring.
 */
#ifndef MP_CAPTURE_SESSION_CONTROL_H
#define MP_CAPTURE_SESSION_CONTROL_H

#include "lib/capture/ring/ring.h"

/* Members are borrowed until mp_control_end(). */
struct mp_control_setup {
	struct mp_rings *rings;
	bool of_tasks;	      /* end the recording when all recorded tasks have ended */
	bool attached;	      /* the events are those of processes that already run */
	bool closes_slowly;   /* the kernel takes long to close the rings */
	bool quiet;	      /* print no messages except errors */
	int command_fd;	      /* pidfd of the command whose end ends the recording; -1: none */
	int drain_tid;	      /* a thread that still has work to do at the stop, as the main one */
	int packer_pid;	      /* a process that has, too; it gets nice value -20 only; 0: none */
	uint64_t duration_ns; /* how long to record; 0: until something else stops it */
	void (*enable)(void *arg);   /* enables the events */
	void (*disabled)(void *arg); /* called after the events are disabled */
	void *arg;
};

/* The time at which all events were enabled. */
struct mp_control_started {
	uint64_t clock_ns, real_ns; /* CLOCK_MONOTONIC and CLOCK_REALTIME */
	uint64_t cpu_ns;	    /* CPU time of this process before that */
};

struct mp_control;

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, ignores SIGPIPE, and starts the thread; `*tid` gets its thread
 * id. Until mp_control_go() a signal ends the program within 200 ms. Ends the program if it cannot.
 */
struct mp_control *mp_control_start(int *tid);

/*
 * Enables the events and starts the time limit; returns when that is done. From then on a reason to
 * stop has an effect, even an earlier one. The first signal ends the recording, the second one the
 * program.
 */
struct mp_control_started mp_control_go(struct mp_control *c, const struct mp_control_setup *setup);

/* The writer's process, which has work to do at the stop, too; it gets nice value -20 only. */
void mp_control_set_writer(struct mp_control *c, int pid);

/* Stops the recording, from another thread. */
void mp_control_stop(struct mp_control *c);

/* When the events were about to be disabled; UINT64_MAX: not yet. */
uint64_t mp_control_stop_ns(const struct mp_control *c);

/* The reason why the recording ended, as text for a message; to be called after its end. */
const char *mp_control_reason(const struct mp_control *c);

/* To be called before the rings are closed. The thread continues to wait for a second signal. */
void mp_control_end(struct mp_control *c);

/* Readable once all events are disabled. */
int mp_control_stopped_fd(const struct mp_control *c);

#endif
