// SPDX-License-Identifier: GPL-2.0-only
/*
 * sandbox ATTEMPT: starts a process in the sandbox of mp-record, which tries what ATTEMPT names, and
 * prints "killed" if the filter ended it, "did it" if it succeeded, or "refused: ERROR".
 * sandbox wait: prints the pid of such a process and the missing parts, and waits for a signal.
 * sandbox missing: prints the missing parts.
 */
#include "lib/capture/sandbox/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/core/base.h"
#include "tests/tools/attempts.h"

enum { MEMORY = 64 << 20 };

static long try_memory(void)
{
	return (long)mmap(NULL, 2 * MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
}

/* What the sandbox allows. */
static long try_allowed(void)
{
	char *p = malloc(1 << 20);

	if (!p)
		return -1;
	memset(p, 1, 1 << 20);
	p = realloc(p, 8 << 20);
	free(p);
	return write(2, "", 0);
}

static long try_abort(void)
{
	abort();
}

static const struct attempt others[] = {
	{ "memory", try_memory },
	{ "allowed", try_allowed },
	{ "abort", try_abort },
};

static const struct attempt *find(const struct attempt *v, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	return NULL;
}

static void try(const char *name)
{
	const struct attempt *a = find(attempts, MP_ARRAY_SIZE(attempts), name);

	if (!a)
		a = find(others, MP_ARRAY_SIZE(others), name);
	errno = 0;
	if (a)
		printf(a->run() == -1 ? "refused: %m\n" : "did it\n");
	fflush(stdout);
}

/* In the sandbox: reports the missing parts, then tries what comes on the socket. */
static int inside(const char *uid)
{
	const struct mp_sandbox_limits limits = { .memory = MEMORY, .files = 16 };
	uint32_t missing = mp_sandbox_enter(uid, &limits);
	char name[64] = "";
	ssize_t n;

	if (write(0, &missing, sizeof(missing)) != sizeof(missing))
		return 1;
	n = read(0, name, sizeof(name) - 1);
	if (n > 0)
		try(name);
	return 0;
}

int main(int argc, char **argv)
{
	struct mp_sandbox_process p;
	uint32_t missing;
	int pair[2], status;
	char *names;

	mp_init("sandbox");
	if (argc == 3 && strcmp(argv[1], "inside") == 0)
		return inside(argv[2]);
	if (argc != 2)
		mp_die("usage: sandbox ATTEMPT | wait | missing");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
	    mp_sandbox_start(&p, argv[0], "inside", (int[]){ pair[1], 1, 2 }, 3) < 0)
		mp_die("cannot start the sandbox: %m");
	close(pair[1]);
	if (read(pair[0], &missing, sizeof(missing)) != sizeof(missing))
		mp_die("the sandbox did not start");
	names = mp_sandbox_names(missing);
	if (strcmp(argv[1], "wait") == 0) {
		printf("%d\n%s\n", (int)p.pid, names);
		fflush(stdout);
		pause();
	}
	if (strcmp(argv[1], "missing") == 0)
		printf("%s\n", names);
	if (write(pair[0], argv[1], strlen(argv[1])) < 0)
		mp_die("cannot write: %m");
	free(names);
	waitpid(p.pid, &status, 0);
	if (WIFSIGNALED(status))
		printf(WTERMSIG(status) == SIGSYS ? "killed\n" : "ended by signal %d\n",
		       WTERMSIG(status));
	close(p.pidfd);
	return 0;
}
