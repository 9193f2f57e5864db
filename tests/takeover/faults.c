// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a call of the first writer's process fail. MP_FAULT in the environment of mp-record has the
 * kind of the call and its number, such as "allocation 57"; the collector passes it on in place of
 * the name of the process's role, since that process has no environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/writer_main.h"

static struct {
	char kind[16];
	unsigned long left; /* calls until the one that fails; 0: none fails */
} fault;

int __real_mp_sandbox_start(struct mp_sandbox_process *p, const char *program, const char *role,
			    const int *fds, unsigned n_fds);
int __wrap_mp_sandbox_start(struct mp_sandbox_process *p, const char *program, const char *role,
			    const int *fds, unsigned n_fds);

int __wrap_mp_sandbox_start(struct mp_sandbox_process *p, const char *program, const char *role,
			    const int *fds, unsigned n_fds)
{
	const char *wanted = getenv("MP_FAULT");
	int result = __real_mp_sandbox_start(p, program, wanted ? wanted : role, fds, n_fds);

	unsetenv("MP_FAULT"); /* later writers work */
	return result;
}

int __real_mp_writer_main(const char *uid);
int __wrap_mp_writer_main(const char *uid);

/* Reads the fault from the arguments, before the sandbox closes /proc. */
int __wrap_mp_writer_main(const char *uid)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char text[64] = "";

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > (ssize_t)sizeof(MP_WRITER_NAME))
		sscanf(text + sizeof(MP_WRITER_NAME), "%15s %lu", fault.kind, &fault.left);
	close(fd);
	return __real_mp_writer_main(uid);
}

static bool fails(const char *kind, int error)
{
	if (!fault.left || strcmp(fault.kind, kind) != 0 || --fault.left)
		return false;
	errno = error;
	return true;
}

#define WRAP(type, name, parameters, kind, error, failed, arguments)            \
	type __real_##name parameters;                                          \
	type __wrap_##name parameters;                                          \
	type __wrap_##name parameters                                           \
	{                                                                       \
		return fails(kind, error) ? (failed) : __real_##name arguments; \
	}

WRAP(void *, malloc, (size_t size), "allocation", ENOMEM, NULL, (size))
WRAP(void *, calloc, (size_t n, size_t size), "allocation", ENOMEM, NULL, (n, size))
WRAP(void *, realloc, (void *old, size_t size), "allocation", ENOMEM, NULL, (old, size))
WRAP(ssize_t, read, (int fd, void *to, size_t size), "read", EIO, -1, (fd, to, size))
WRAP(ssize_t, pread, (int fd, void *to, size_t size, off_t at), "read", EIO, -1, (fd, to, size, at))
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), "recvmsg", ECONNRESET, -1,
     (fd, m, flags))
