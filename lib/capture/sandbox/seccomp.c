// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/sandbox/seccomp.h"

#include <fcntl.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/base.h"

/*
 * A rule permits a system call if `args` comparisons hold. Calls that a kernel or an architecture
 * does not have are skipped. Calls without comparisons affect only the descriptors that the process
 * has, its own memory, or its own state.
 */
struct rule {
	const char *call;
	unsigned n;
	struct scmp_arg_cmp args[2];
};

/*
 * Private memory, or shared memory of a descriptor that the process has; never at a given address.
 */
#define MAP_MASK (MAP_TYPE | MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE)

static const struct rule rules[] = {
	/* descriptors */
	{ .call = "read" },
	{ .call = "readv" },
	{ .call = "pread64" },
	{ .call = "write" },
	{ .call = "writev" },
	{ .call = "lseek" },
	{ .call = "close" },
	{ .call = "poll" },
	{ .call = "ppoll" },
	{ .call = "recvmsg" },
	{ .call = "recvfrom", 1, { SCMP_A4_64(SCMP_CMP_EQ, 0, 0) } },
	{ .call = "sendto", 1, { SCMP_A4_64(SCMP_CMP_EQ, 0, 0) } }, /* no address, no descriptors */
	{ .call = "getdents64" },
	{ .call = "fstat" },
	{ .call = "newfstatat", 1, { SCMP_A3_64(SCMP_CMP_EQ, AT_EMPTY_PATH, 0) } },
	{ .call = "fcntl", 1, { SCMP_A1_64(SCMP_CMP_EQ, F_GETFL, 0) } },
	{ .call = "fcntl", 1, { SCMP_A1_64(SCMP_CMP_EQ, F_GETFD, 0) } },
	{ .call = "fcntl", 1, { SCMP_A1_64(SCMP_CMP_EQ, F_SETFD, 0) } },      /* fdopendir() */
	{ .call = "fcntl", 1, { SCMP_A1_64(SCMP_CMP_EQ, F_SETPIPE_SZ, 0) } }, /* the output */
	{ .call = "ioctl", 1, { SCMP_A1_64(SCMP_CMP_EQ, TCGETS, 0) } },	      /* isatty() */
	{ .call = "ioctl", 1, { SCMP_A1_64(SCMP_CMP_EQ, TIOCGWINSZ, 0) } },
	/* memory */
	{ .call = "brk" },
	{ .call = "munmap" },
	{ .call = "madvise" },
	{ .call = "mremap", 1, { SCMP_A3_64(SCMP_CMP_EQ, MREMAP_MAYMOVE, 0) } },
	{ .call = "mprotect", 1, { SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	{ .call = "mmap",
	  2,
	  { SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
	    SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_MASK, MAP_PRIVATE | MAP_ANONYMOUS) } },
	{ .call = "mmap", /* the queue */
	  2,
	  { SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
	    SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_MASK, MAP_SHARED) } },
	{ .call = "sysinfo" }, /* qsort() in libc asks how much memory there is */
	/* time, waiting, its own signals, its exit */
	{ .call = "clock_gettime" },
	{ .call = "clock_nanosleep" },
	{ .call = "nanosleep" },
	{ .call = "gettimeofday" },
	{ .call = "getrusage" },
	{ .call = "timer_create" },
	{ .call = "timer_settime" },
	{ .call = "timer_delete" },
	{ .call = "getrandom" },
	{ .call = "getpid" },
	{ .call = "gettid" },
	{ .call = "futex" },
	{ .call = "sched_yield" },
	{ .call = "restart_syscall" },
	{ .call = "rt_sigaction" },
	{ .call = "rt_sigprocmask" },
	{ .call = "rt_sigreturn" },
	{ .call = "exit" },
	{ .call = "exit_group" },
};

static bool add(scmp_filter_ctx filter, const struct rule *r)
{
	int number = seccomp_syscall_resolve_name(r->call);

	if (number < 0)
		return true;
	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, r->n, r->args) == 0;
}

int mp_sandbox_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	struct rule abort_self = { .call = "tgkill",
				   1,
				   { SCMP_A0_64(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0) } };
	bool done = filter && add(filter, &abort_self);
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(rules) && done; i++)
		done = add(filter, &rules[i]);
	done = done &&
	       seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
	       seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
	       seccomp_load(filter) == 0;
	seccomp_release(filter);
	return done ? 0 : -1;
}
