/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a part of mp-record, such as the writer, as a process that can compute, use the descriptors
 * that it was given, and nothing else. The collector calls mp_sandbox_start(); the new process, a
 * fresh execve of this program, calls mp_sandbox_enter() as soon as it has what it needs, and
 * before it reads a byte that another user wrote. Includes descriptors.
 */
#ifndef MP_CAPTURE_SANDBOX_SANDBOX_H
#define MP_CAPTURE_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/capture/host/descriptors.h"

/* The parts of a sandbox. Kernels, containers and users without privileges may lack some. */
enum mp_sandbox_part {
	MP_SANDBOX_UID, /* a uid that nobody else uses */
	MP_SANDBOX_USER_NS,
	MP_SANDBOX_PID_NS,
	MP_SANDBOX_MOUNT_NS, /* with an empty root */
	MP_SANDBOX_NET_NS,
	MP_SANDBOX_IPC_NS,
	MP_SANDBOX_CAPS, /* no capability, and no way to get one */
	MP_SANDBOX_DUMPABLE,
	MP_SANDBOX_LIMITS,
	MP_SANDBOX_SECCOMP,
	MP_SANDBOX_PARTS
};

/* --- called by the collector ------------------------------------------------------------------ */

/* A range of uids that only processes in sandboxes have, and no account, container or service. */
struct mp_sandbox_uids {
	uid_t first, n; /* n 0: there is none */
};

struct mp_sandbox_process {
	pid_t pid;
	int pidfd;		     /* readable when it has ended; the caller closes it */
	struct mp_sandbox_uids uids; /* mp_sandbox_enter() takes one of these */
};

/*
 * Starts this program again, as its own child, in a pid namespace if possible, with an empty
 * environment and the arguments PROGRAM ROLE UID; the last one is for mp_sandbox_enter(). It has
 * `fds` as its descriptors 0, 1, 2, ... (at most MP_DESCRIPTORS) and no others. It gets SIGKILL
 * when the calling thread ends, unless mp_sandbox_enter() says otherwise. Other threads may run
 * meanwhile. Returns 0, or -1 with errno.
 */
int mp_sandbox_start(struct mp_sandbox_process *p, const char *program, const char *role,
		     const int *fds, unsigned n_fds);

/* --- called by the new process ---------------------------------------------------------------- */

struct mp_sandbox_limits {
	uint64_t memory; /* bytes of private memory */
	uint64_t files;	 /* descriptors */
	bool outlives;	 /* the end of the thread that called mp_sandbox_start() does not kill it */
};

/*
 * Enters the sandbox, and returns the set of missing parts (1 << MP_SANDBOX_UID and so on). `uid`
 * is the argument from mp_sandbox_start(). From then on the process may make only the system calls
 * that seccomp.c lists: read, write, recvmsg, private memory without PROT_EXEC, clocks. Any other
 * kills it (SIGSYS). It must be the only thread.
 */
uint32_t mp_sandbox_enter(const char *uid, const struct mp_sandbox_limits *limits);

/* --- called by both --------------------------------------------------------------------------- */

/* The names of parts, "user namespace, seccomp filter". The caller frees the text. */
char *mp_sandbox_names(uint32_t parts);

#endif
