/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is started held back, so that it is recorded from its first instruction. Includes
 * base.
 */
#ifndef MP_CAPTURE_HOST_COMMAND_H
#define MP_CAPTURE_HOST_COMMAND_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_command {
	pid_t pid;
	int pidfd;  /* readable when it has ended */
	int go;	    /* pipe: a byte starts it */
	int failed; /* pipe: errno of execve, or closed by it */
	char *name;
};

/* Forks; the child waits with stdio and signals as ours were. Ends the program on failure. */
void mp_command_prepare(struct mp_command *c, char **argv);

/* Lets it run. 0, or -1 with errno if it cannot be executed. */
int mp_command_go(struct mp_command *c);

/*
 * After the recording: asks it to end (SIGTERM) if it still runs, and waits. Returns its status as
 * a shell tells it (128 + signal).
 */
int mp_command_end(struct mp_command *c);

#endif
