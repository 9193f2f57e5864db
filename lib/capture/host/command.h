/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that waits until the recording is ready, so that it is recorded from its first
 * instruction. Includes base.
 */
#ifndef MP_CAPTURE_HOST_COMMAND_H
#define MP_CAPTURE_HOST_COMMAND_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_command {
	pid_t pid;
	int pidfd;  /* readable when the command has ended */
	int go;	    /* pipe: a byte starts the command */
	int failed; /* pipe: delivers the errno of execve, or its end if execve succeeded */
	char *name;
	bool stopped; /* mp_command_end() had to end the command */
};

/*
 * Forks; the child waits for mp_command_go(). It inherits our stdin, stdout and stderr; if
 * `stdout_taken`, its stdout is our stderr. Ends the program on failure.
 */
void mp_command_prepare(struct mp_command *c, char **argv, bool stdout_taken);

/* Starts the waiting command. Returns 0, or -1 with errno if it cannot be executed. */
int mp_command_go(struct mp_command *c);

/*
 * After the recording: asks the command to end (SIGTERM) if it still runs, and waits for it.
 * Returns its status as a shell does (128 + signal).
 */
int mp_command_end(struct mp_command *c);

#endif
