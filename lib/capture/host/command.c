// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* how long the command may take to end after SIGTERM, before it gets SIGKILL */
enum { TERM_MS = 2000 };

/* The child waits until the parent is ready, and then becomes the program. */
static _Noreturn void wait_and_exec(int go, int failed, char **argv)
{
	int error;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(127); /* the parent has ended */
	execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

void mp_command_prepare(struct mp_command *c, char **argv, bool stdout_taken)
{
	int go[2], failed[2];
	sigset_t none;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		mp_die("cannot make a pipe: %m");
	*c = (struct mp_command){ .go = go[1], .failed = failed[0], .name = argv[0] };
	c->pid = fork();
	if (c->pid < 0)
		mp_die("cannot fork: %m");
	if (c->pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		close(go[1]);
		close(failed[0]);
		if (stdout_taken)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		wait_and_exec(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	c->pidfd = syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0)
		mp_die("cannot watch the command: %m");
	fcntl(c->pidfd, F_SETFD, FD_CLOEXEC);
}

int mp_command_go(struct mp_command *c)
{
	int error = 0;
	ssize_t n;

	if (write(c->go, "", 1) < 0)
		return -1;
	close(c->go);
	do
		n = read(c->failed, &error, sizeof(error)); /* n is 0 if execve succeeded */
	while (n < 0 && errno == EINTR);
	close(c->failed);
	if (n <= 0)
		return 0;
	errno = error;
	return -1;
}

int mp_command_end(struct mp_command *c)
{
	struct pollfd ended = { .fd = c->pidfd, .events = POLLIN };
	int status;

	if (poll(&ended, 1, 0) == 0) {
		kill(c->pid, SIGTERM);
		c->stopped = true;
		if (poll(&ended, 1, TERM_MS) == 0)
			kill(c->pid, SIGKILL);
	}
	close(c->pidfd);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
