// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/jcmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/capture/host/descriptors.h"
#include "lib/capture/host/identity.h"
#include "lib/capture/host/proc.h"
#include "lib/core/base.h"

/* --- the program ------------------------------------------------------------------------------ */

static bool is_ours(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether nobody else can change a file, whose path has no links, or exchange it. */
static bool is_trusted(const char *path)
{
	char *folder = mp_strdup(path), *slash;
	bool trusted = is_ours(path) && is_ours("/");

	while (trusted && (slash = strrchr(folder, '/')) && slash != folder) {
		*slash = '\0';
		trusted = is_ours(folder);
	}
	free(folder);
	return trusted;
}

char *mp_jcmd_find(void)
{
	const char *all = getenv("PATH");
	char *list = mp_strdup(all ? all : ""), *rest = list, *folder, *found = NULL, *path;

	while (!found && (folder = strsep(&rest, ":"))) {
		if (folder[0] != '/')
			continue;
		path = mp_asprintf("%s/jcmd", folder);
		found = realpath(path, NULL);
		free(path);
		if (found && (access(found, X_OK) < 0 || !is_trusted(found))) {
			free(found);
			found = NULL;
		}
	}
	free(list);
	return found;
}

/* --- the process ------------------------------------------------------------------------------ */

static void look_for_jvm(void *arg, const struct mp_proc_map *map)
{
	bool *found = arg;
	struct mp_str path = mp_str(map->path);

	*found |= mp_str_ends(path, MP_STR("/libjvm.so"));
}

bool mp_jcmd_is_jvm(pid_t pid)
{
	bool found = false;

	mp_proc_maps(pid, look_for_jvm, &found);
	return found;
}

/* Whether a process has the mount namespace of this one. */
static bool has_our_mounts(pid_t pid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return stat("/proc/self/ns/mnt", &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

/*
 * Takes the ids of a user for good. These functions make system calls only, since other threads may
 * hold locks. An execve() without an ambient capability gives none to a user other than root.
 */
static bool become(const struct mp_identity *who)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return false;
	if (who->uid == geteuid() && who->uid == getuid() && who->uid != 0)
		return true; /* the same user, who cannot change groups */
	return syscall(SYS_setgroups, who->n_groups, who->groups) == 0 &&
	       syscall(SYS_setresgid, who->gid, who->gid, who->gid) == 0 &&
	       syscall(SYS_setresuid, who->uid, who->uid, who->uid) == 0;
}

static _Noreturn void run(const char *jcmd, const struct mp_identity *who, char *pid)
{
	char *const argv[] = { (char *)jcmd, "-J-XX:-UsePerfData", pid, "Compiler.perfmap", NULL };
	char *const environment[] = { NULL };
	const struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int fds[] = { null, null, null };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (!mp_descriptors_place(fds, MP_ARRAY_SIZE(fds)) || chdir("/") < 0 || !become(who) ||
	    setrlimit(RLIMIT_CORE, &no_core) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(1);
	execve(jcmd, argv, environment);
	_exit(1);
}

/* Waits for the end of jcmd, and ends it if it takes too long. */
static enum mp_jcmd_result wait_for(pid_t child, int stop, int deadline_ms)
{
	struct pollfd v[] = { { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN },
			      { .fd = stop, .events = POLLIN } };
	int status = 0, n;

	do
		n = poll(v, MP_ARRAY_SIZE(v), deadline_ms);
	while (n < 0 && errno == EINTR);
	if (!v[0].revents) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	close(v[0].fd);
	if (v[0].revents)
		return status ? MP_JCMD_FAILED : MP_JCMD_DONE;
	return v[1].revents ? MP_JCMD_STOPPED : MP_JCMD_LATE;
}

enum mp_jcmd_result mp_jcmd_ask(const char *jcmd, pid_t pid, int stop, int deadline_ms)
{
	struct mp_identity who;
	char text[16];
	pid_t child;

	if (mp_identity_of(pid, &who) < 0)
		return MP_JCMD_FAILED;
	if (geteuid() != 0 && who.uid != geteuid())
		return MP_JCMD_DENIED;
	if (who.uid == 0 && !has_our_mounts(pid))
		return MP_JCMD_DENIED;
	snprintf(text, sizeof(text), "%d", (int)pid);
	child = fork();
	if (child < 0)
		return MP_JCMD_FAILED;
	if (child == 0)
		run(jcmd, &who, text);
	return wait_for(child, stop, deadline_ms);
}
