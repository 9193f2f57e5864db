// SPDX-License-Identifier: GPL-2.0-only
/*
 * sandbox ATTEMPT: starts a process in the sandbox of mp-record, which tries what ATTEMPT names, and
 * prints "killed" if the filter ended it, "did it" if it succeeded, or "refused: ERROR".
 * sandbox wait: prints the pid of such a process and the missing parts, and waits for a signal.
 * sandbox missing: prints the missing parts.
 */
#include "lib/capture/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/base.h"

enum { MEMORY = 64 << 20 };

static long try_open(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static long try_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long try_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/run/x" };

	return connect(0, (struct sockaddr *)&to, sizeof(to));
}

static long try_sendto(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/run/x" };

	return sendto(0, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
}

static long try_sendmsg(void)
{
	struct msghdr message = { .msg_name = NULL };

	return sendmsg(0, &message, 0);
}

static long try_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long try_kill(void)
{
	return kill(-1, 0);
}

static long try_tgkill(void)
{
	return syscall(SYS_tgkill, 2, 2, 0);
}

static long try_bpf(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY };

	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static long try_perf_event_open(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static long try_ioctl(void)
{
	return ioctl(2, FIONREAD, &(int){ 0 });
}

static long try_mmap_exec(void)
{
	return (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long try_mmap_file(void)
{
	return (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 2, 0);
}

static long try_mprotect_exec(void)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static long try_clone(void)
{
	return fork();
}

static long try_clone3(void)
{
	return syscall(SYS_clone3, NULL, 0);
}

static long try_execve(void)
{
	return execl("/bin/true", "true", NULL);
}

static long try_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}

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

static const struct {
	const char *name;
	long (*run)(void);
} attempts[] = {
	{ "open", try_open },
	{ "socket", try_socket },
	{ "connect", try_connect },
	{ "sendto", try_sendto },
	{ "sendmsg", try_sendmsg },
	{ "ptrace", try_ptrace },
	{ "kill", try_kill },
	{ "tgkill", try_tgkill },
	{ "bpf", try_bpf },
	{ "perf_event_open", try_perf_event_open },
	{ "ioctl", try_ioctl },
	{ "mmap-exec", try_mmap_exec },
	{ "mmap-file", try_mmap_file },
	{ "mprotect-exec", try_mprotect_exec },
	{ "clone", try_clone },
	{ "clone3", try_clone3 },
	{ "execve", try_execve },
	{ "unshare", try_unshare },
	{ "memory", try_memory },
	{ "allowed", try_allowed },
	{ "abort", try_abort },
};

/* In the sandbox: reports the missing parts, then tries what comes on the socket. */
static int inside(const char *uid)
{
	const struct mp_sandbox_limits limits = { .memory = MEMORY, .files = 16 };
	uint32_t missing = mp_sandbox_enter(uid, &limits);
	char name[64] = "";
	ssize_t n;
	size_t i;
	long result;

	if (write(0, &missing, sizeof(missing)) != sizeof(missing))
		return 1;
	n = read(0, name, sizeof(name) - 1);
	for (i = 0; n > 0 && i < MP_ARRAY_SIZE(attempts); i++) {
		if (strcmp(attempts[i].name, name) != 0)
			continue;
		errno = 0;
		result = attempts[i].run();
		printf(result == -1 ? "refused: %m\n" : "did it\n");
		fflush(stdout);
	}
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
