// SPDX-License-Identifier: GPL-2.0-only
#include "lib/srcline/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CPU_S = 60,	   /* CPU time of a process, for all questions */
	WAIT_MS = 90000,   /* for an answer */
	MEMORY_MIB = 2048, /* private memory */
	QUESTION_MAX = 256,
};

static void limit(int resource, rlim_t to)
{
	const struct rlimit r = { to, to };

	if (setrlimit(resource, &r) < 0)
		_exit(1);
}

static void limit_all(void)
{
	limit(RLIMIT_CPU, CPU_S);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, 0); /* what is open remains open */
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_DATA, (rlim_t)MEMORY_MIB << 20);
#endif
}

static _Noreturn void serve(int fd, pid_t parent, mp_jail_fn *fn, void *arg)
{
	char question[QUESTION_MAX];
	static char answer[MP_JAIL_ANSWER_MAX];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_IGN); /* this process ends when the other one does */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	limit_all();
	while ((n = recv(fd, question, sizeof(question), 0)) > 0)
		if (send(fd, answer, fn(arg, question, n, answer), MSG_NOSIGNAL) < 0)
			break;
	_exit(0);
}

int mp_jail_start(struct mp_jail *j, mp_jail_fn *fn, void *arg)
{
	pid_t parent = getpid();
	int fds[2];

	*j = (struct mp_jail){ .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	j->pid = fork();
	if (j->pid == 0) {
		close(fds[0]);
		serve(fds[1], parent, fn, arg);
	}
	close(fds[1]);
	j->fd = fds[0];
	if (j->pid > 0)
		return 0;
	close(j->fd);
	*j = (struct mp_jail){ .fd = -1 };
	return -1;
}

ssize_t mp_jail_ask(struct mp_jail *j, const void *question, size_t len,
		    char answer[MP_JAIL_ANSWER_MAX])
{
	struct pollfd p = { j->fd, POLLIN, 0 };
	ssize_t n = -1;
	int ready;

	if (!j->pid)
		return -1;
	if (send(j->fd, question, len, MSG_NOSIGNAL) == (ssize_t)len) {
		do
			ready = poll(&p, 1, WAIT_MS);
		while (ready < 0 && errno == EINTR);
		if (ready == 1)
			n = recv(j->fd, answer, MP_JAIL_ANSWER_MAX, 0);
	}
	if (n > 0)
		return n;
	mp_jail_stop(j);
	return -1;
}

void mp_jail_stop(struct mp_jail *j)
{
	if (!j->pid)
		return;
	close(j->fd);
	kill(j->pid, SIGKILL);
	while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*j = (struct mp_jail){ .fd = -1 };
}
