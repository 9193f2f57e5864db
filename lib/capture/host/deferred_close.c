// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/deferred_close.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * Runs the second process. It must not keep our output open, nor any other file that somebody waits
 * to see closed. The kernel frees the memory of a process before it closes its files, so the
 * process takes next to no memory meanwhile.
 */
static _Noreturn void hold(const bool *held, int n, int until)
{
	char byte;
	int fd;

	prctl(PR_SET_NAME, "mp-record-close");
	setsid();
	for (fd = 0; fd < n; fd++)
		if (!held[fd])
			close(fd);
	close_range(n, ~0U, 0);
	_exit(chdir("/") < 0 || read(until, &byte, 1) < 0);
}

static void close_all(const int *fds, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		close(fds[i]);
}

/* The second process closes the files last: it waits until the pipe from this process is closed. */
void mp_deferred_close(const int *fds, size_t n)
{
	int pipe_fds[2], end;
	bool *held;
	size_t i;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0) {
		close_all(fds, n);
		return;
	}
	end = pipe_fds[0] + 1;
	for (i = 0; i < n; i++)
		end = MP_MAX(end, fds[i] + 1);
	held = mp_zalloc(end * sizeof(*held));
	for (i = 0; i < n; i++)
		held[fds[i]] = true;
	held[pipe_fds[0]] = true;
	if (fork() == 0)
		hold(held, end, pipe_fds[0]);
	free(held);
	close_all(fds, n);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}
