/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process in the sandbox may not do: each attempt makes a system call that ends it. */
#ifndef TOOLS_ATTEMPTS_H
#define TOOLS_ATTEMPTS_H

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

struct attempt {
	const char *name;
	long (*run)(void); /* returns -1 with errno if it was refused */
};

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

static const struct attempt attempts[] = {
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
};

#endif
