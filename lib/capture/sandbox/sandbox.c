// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/host/descriptors.h"
#include "lib/capture/sandbox/seccomp.h"
#include "lib/core/base.h"
#include "lib/core/str.h"

/*
 * Uids that no account, container or service has: systemd.io/UIDS-GIDS lists these ranges as
 * unused. The first is large enough for a random number to be unique; containers often have only
 * the second.
 */
static const struct mp_sandbox_uids unused_uids[] = { { 0x70000000, 0x10000000 }, { 60578, 606 } };

/* --- the start -------------------------------------------------------------------------------- */

static pid_t clone_child(uint64_t flags, int *pidfd)
{
	struct clone_args args = {
		.flags = flags | CLONE_PIDFD,
		.pidfd = (uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* a failure shows later: mp_sandbox_enter() finds parts missing */
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

/* What the new process needs between clone and execve. */
struct start {
	char *const *argv;
	const int *fds;
	unsigned n_fds;
	char uid_map[32], gid_map[32];
};

/* Between clone and execve there are only system calls, since other threads may have held locks. */
static _Noreturn void run(const struct start *s, bool in_user_ns)
{
	static char *const environment[] = { NULL };
	const struct sched_param normal = { .sched_priority = 0 };
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	sched_setscheduler(0, SCHED_OTHER, &normal); /* the caller may have a real-time priority */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (in_user_ns) { /* as root of its namespace it keeps its capabilities there */
		write_file("/proc/self/setgroups", "deny");
		write_file("/proc/self/uid_map", s->uid_map);
		write_file("/proc/self/gid_map", s->gid_map);
	}
	if (mp_descriptors_place(s->fds, s->n_fds))
		execve("/proc/self/exe", s->argv, environment);
	_exit(127);
}

/* Whether no process has the uid. */
static bool is_free(uid_t uid)
{
	errno = 0;
	return getpriority(PRIO_USER, uid) == -1 && errno == ESRCH;
}

/* Whether a uid exists in our user namespace. */
static bool is_mapped(uid_t uid)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned first, n;
	bool found = false;

	while (f && !found && fscanf(f, "%u %*u %u", &first, &n) == 2)
		found = uid >= first && uid - first < n;
	if (f)
		fclose(f);
	return found;
}

/* Chooses a random uid that nobody uses, and sets `*range` to its range. 0: there is none. */
static uid_t choose_uid(struct mp_sandbox_uids *range)
{
	size_t i, tries;
	uint32_t random;
	uid_t uid;

	for (i = 0; i < MP_ARRAY_SIZE(unused_uids); i++)
		for (tries = 0; tries < 16; tries++) {
			if (getrandom(&random, sizeof(random), 0) != sizeof(random))
				return 0;
			uid = unused_uids[i].first + random % unused_uids[i].n;
			*range = unused_uids[i];
			if (is_mapped(uid) && is_free(uid))
				return uid;
		}
	range->n = 0;
	return 0;
}

int mp_sandbox_start(struct mp_sandbox_process *p, const char *program, const char *role,
		     const int *fds, unsigned n_fds)
{
	/*
	 * root leaves the other namespaces later; other users get the right to do so in a user
	 * namespace
	 */
	static const uint64_t flags[] = { CLONE_NEWPID, CLONE_NEWUSER | CLONE_NEWPID, 0 };
	char uid[16];
	char *argv[] = { (char *)program, (char *)role, uid, NULL };
	struct start s = { .argv = argv, .fds = fds, .n_fds = n_fds };
	bool root = geteuid() == 0;
	size_t i;

	p->uids.n = 0;
	snprintf(uid, sizeof(uid), "%u", root ? choose_uid(&p->uids) : 0);
	snprintf(s.uid_map, sizeof(s.uid_map), "0 %u 1", geteuid());
	snprintf(s.gid_map, sizeof(s.gid_map), "0 %u 1", getegid());
	for (i = !root; i < MP_ARRAY_SIZE(flags); i++) {
		p->pid = clone_child(flags[i], &p->pidfd);
		if (p->pid == 0)
			run(&s, flags[i] & CLONE_NEWUSER);
		if (p->pid > 0)
			return 0;
	}
	p->pid = 0;
	p->pidfd = -1;
	return -1;
}

/* --- in the sandbox --------------------------------------------------------------------------- */

/* Replaces the root folder with an empty one that is read-only. */
static bool empty_root(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     "size=4k,nr_inodes=2,mode=555") == 0 &&
	       chdir("/proc") == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
	       umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 &&
	       mount(NULL, "/", NULL,
		     MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     NULL) == 0;
}

/* Takes the uid, and keeps the capabilities. */
static bool change_uid(uid_t uid)
{
	return uid && prctl(PR_SET_KEEPCAPS, 1) == 0 && setgroups(0, NULL) == 0 &&
	       setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0;
}

/* Restores the effective capabilities, which setresuid() has cleared. */
static void raise_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	size_t i;

	if (syscall(SYS_capget, &header, caps) < 0)
		return;
	for (i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		caps[i].effective = caps[i].permitted;
	syscall(SYS_capset, &header, caps);
}

static bool drop_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { .effective = 0 } };
	int cap;

	prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
					 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
					 SECBIT_NO_CAP_AMBIENT_RAISE |
					 SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
	for (cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &header, none) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static bool limit(int resource, uint64_t most)
{
	struct rlimit r;

	if (getrlimit(resource, &r) < 0)
		return false;
	r.rlim_cur = r.rlim_max = MP_MIN((rlim_t)most, r.rlim_max);
	return setrlimit(resource, &r) == 0;
}

static bool set_limits(const struct mp_sandbox_limits *limits)
{
	return limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, limits->memory) &&
	       limit(RLIMIT_NOFILE, limits->files) && limit(RLIMIT_NPROC, 1) &&
	       limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_RTPRIO, 0);
}

uint32_t mp_sandbox_enter(const char *uid, const struct mp_sandbox_limits *limits)
{
	bool works[MP_SANDBOX_PARTS] = { false };
	uint32_t missing = 0;
	int i;

	prctl(PR_SET_NAME, program_invocation_short_name); /* not "exe" */
	works[MP_SANDBOX_PID_NS] = getpid() == 1;
	works[MP_SANDBOX_NET_NS] = unshare(CLONE_NEWNET) == 0;
	works[MP_SANDBOX_IPC_NS] = unshare(CLONE_NEWIPC) == 0;
	works[MP_SANDBOX_MOUNT_NS] = empty_root();
	works[MP_SANDBOX_UID] = change_uid((uid_t)strtoul(uid, NULL, 10));
	raise_caps();
	works[MP_SANDBOX_USER_NS] = unshare(CLONE_NEWUSER) == 0;
	works[MP_SANDBOX_CAPS] = drop_caps();
	works[MP_SANDBOX_LIMITS] = set_limits(limits);
	works[MP_SANDBOX_DUMPABLE] = prctl(PR_SET_DUMPABLE, 0) == 0;
	/* a change of the uid has cleared it */
	prctl(PR_SET_PDEATHSIG, limits->outlives ? 0 : SIGKILL);
	works[MP_SANDBOX_SECCOMP] = mp_sandbox_filter() == 0;
	for (i = 0; i < MP_SANDBOX_PARTS; i++)
		missing |= works[i] ? 0 : 1u << i;
	return missing;
}

char *mp_sandbox_names(uint32_t parts)
{
	static const char *const names[] = {
		[MP_SANDBOX_UID] = "uid of its own",
		[MP_SANDBOX_USER_NS] = "user namespace",
		[MP_SANDBOX_PID_NS] = "pid namespace",
		[MP_SANDBOX_MOUNT_NS] = "mount namespace",
		[MP_SANDBOX_NET_NS] = "network namespace",
		[MP_SANDBOX_IPC_NS] = "IPC namespace",
		[MP_SANDBOX_CAPS] = "removal of capabilities",
		[MP_SANDBOX_DUMPABLE] = "protection from tracing",
		[MP_SANDBOX_LIMITS] = "resource limits",
		[MP_SANDBOX_SECCOMP] = "seccomp filter",
	};
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (parts & 1u << i)
			mp_buf_printf(&text, "%s%s", text.len ? ", " : "", names[i]);
	mp_buf_byte(&text, '\0');
	return text.p;
}
