// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recordings/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/help/program.h"
#include "lib/recordings/draft.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static struct {
	volatile sig_atomic_t n;
	volatile pid_t pids[MP_CHILDREN_MAX]; /* 0: it has ended */
	volatile sig_atomic_t patient;
	volatile sig_atomic_t pending;	 /* a signal that only this program may have got */
	volatile sig_atomic_t forwarded; /* how many there were */
} children;

static void end_children(int sig)
{
	int i;

	for (i = 0; i < children.n; i++)
		if (children.pids[i])
			kill(children.pids[i], sig);
}

/* The signal may have reached the children as well, if it was sent to the group: they can tell. */
static void forward(void)
{
	const union sigval value = { .sival_int = children.forwarded << 16 | MP_SIGNAL_FORWARDED };
	int i, sig = children.pending;

	if (!sig || !children.n)
		return;
	children.pending = 0;
	for (i = 0; i < children.n; i++)
		if (children.pids[i])
			sigqueue(children.pids[i], sig, value);
}

static void handle(int sig, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (children.patient) {
		/* a terminal sends its signals to the children as well */
		if (info->si_code != SI_KERNEL) {
			children.pending = sig;
			children.forwarded = children.forwarded + 1;
			forward();
		}
		errno = error;
		return;
	}
	mp_draft_drop();
	end_children(SIGTERM);
	signal(sig, SIG_DFL);
	raise(sig);
}

void mp_children_guard(void)
{
	struct sigaction act = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO }, now;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(signals); i++)
		sigaddset(&act.sa_mask, signals[i]);
	for (i = 0; i < MP_ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

void mp_children_patient(bool patient)
{
	children.patient = patient;
}

void mp_children_start(char **argv, int in, int out, int err)
{
	struct sigaction act;
	sigset_t set, before;
	pid_t pid;
	size_t i;

	if (children.n == MP_CHILDREN_MAX)
		mp_die("more than %d programs in a pipeline", MP_CHILDREN_MAX);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = fork();
	if (pid < 0)
		mp_die("cannot start '%s': %m", argv[0]);
	if (pid == 0) {
		/* as exec(3) does, but before a signal that is forwarded now would have no effect */
		for (i = 0; i < MP_ARRAY_SIZE(signals); i++)
			if (sigaction(signals[i], NULL, &act) == 0 && act.sa_sigaction == handle)
				signal(signals[i], SIG_DFL);
		if ((in != STDIN_FILENO && dup2(in, STDIN_FILENO) < 0) ||
		    (out != STDOUT_FILENO && dup2(out, STDOUT_FILENO) < 0) ||
		    (err != STDERR_FILENO && dup2(err, STDERR_FILENO) < 0))
			mp_die("cannot redirect '%s': %m", argv[0]);
		sigprocmask(SIG_SETMASK, &before, NULL);
		mp_help_become(argv);
		mp_say("cannot execute '%s': %m", argv[0]);
		_exit(127);
	}
	children.pids[children.n] = pid;
	children.n = children.n + 1;
	forward();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void mp_children_detach(char **argv)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		mp_die("cannot start '%s': %m", argv[0]);
	if (pid > 0)
		return;
	null = open("/dev/null", O_RDWR);
	setsid();
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(127);
}

static enum mp_status wait_one(int i, bool last)
{
	int status;

	while (waitpid(children.pids[i], &status, 0) < 0)
		if (errno != EINTR)
			mp_die("cannot wait for a program: %m");
	children.pids[i] = 0;
	if (WIFSIGNALED(status))
		return !last && WTERMSIG(status) == SIGPIPE ? MP_OK : MP_FAIL;
	if (!last && WEXITSTATUS(status) == 128 + SIGPIPE)
		return MP_OK;
	return MP_MIN(WEXITSTATUS(status), MP_FAIL);
}

enum mp_status mp_children_wait(void)
{
	enum mp_status worst = MP_OK, status;
	int i;

	for (i = 0; i < children.n; i++) {
		status = wait_one(i, i == children.n - 1);
		worst = MP_MAX(worst, status);
	}
	children.n = 0;
	return worst;
}
