// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/core/base.h"

enum { STATUS_MAX = 16 << 10 };

/* The kernel's CAP_FS_SET: what a thread loses when its fsuid is no longer 0. */
static const int file_caps[] = {
	CAP_CHOWN,  CAP_DAC_OVERRIDE,	 CAP_DAC_READ_SEARCH, CAP_FOWNER,
	CAP_FSETID, CAP_LINUX_IMMUTABLE, CAP_MKNOD,	      CAP_MAC_OVERRIDE,
};

static struct __user_cap_header_struct cap_header(void)
{
	return (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
}

static bool has(const struct mp_identity_own *own, int cap)
{
	return own->caps[cap / 32].effective & 1u << cap % 32;
}

/* The text of the line "KEY:\t..." of a status file, in which no process can forge a line. */
static const char *line_of(const char *status, const char *key)
{
	size_t len = strlen(key);
	const char *line;

	for (line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

/* Splits the next number off a line. False at its end. */
static bool next_number(const char **at, unsigned long *number)
{
	char *end;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return false;
	*number = strtoul(*at, &end, 10);
	*at = end;
	return true;
}

/* The last of at most `most` numbers of a line. */
static bool last_number(const char *line, int most, unsigned long *number)
{
	int n = 0;

	while (line && n < most && next_number(&line, number))
		n++;
	return n > 0;
}

int mp_identity_of(pid_t pid, struct mp_identity *to)
{
	unsigned long uid, gid, inner, group;
	char path[64], text[STATUS_MAX];
	const char *groups;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	/* "Uid:" and "Gid:" have the real, the effective, the saved and the file system's id */
	if (!last_number(line_of(text, "Uid"), 4, &uid) ||
	    !last_number(line_of(text, "Gid"), 4, &gid)) {
		errno = ESRCH;
		return -1;
	}
	if (!last_number(line_of(text, "NSpid"), 64, &inner))
		inner = (unsigned long)pid;
	to->uid = (uid_t)uid;
	to->gid = (gid_t)gid;
	to->inner_pid = (pid_t)inner;
	to->n_groups = 0;
	groups = line_of(text, "Groups");
	while (groups && to->n_groups < MP_IDENTITY_GROUPS && next_number(&groups, &group))
		to->groups[to->n_groups++] = (gid_t)group;
	return 0;
}

int mp_identity_own(struct mp_identity_own *own)
{
	struct __user_cap_header_struct header = cap_header();
	struct mp_identity *i = &own->identity;

	i->uid = (uid_t)setfsuid((uid_t)-1); /* an invalid id changes nothing */
	i->gid = (gid_t)setfsgid((gid_t)-1);
	i->n_groups = getgroups(MP_IDENTITY_GROUPS, i->groups);
	i->inner_pid = 0;
	if (i->n_groups < 0)
		return -1;
	if (prctl(PR_GET_PDEATHSIG, &own->death_signal) < 0)
		return -1;
	return (int)syscall(SYS_capget, &header, own->caps);
}

/* Makes the system calls directly: the functions of libc change all threads. */
static int set_ids(const struct mp_identity_own *own, const struct mp_identity *to)
{
	if (has(own, CAP_SETGID)) {
		if (syscall(SYS_setgroups, to->n_groups, to->groups) < 0)
			return -1;
		setfsgid(to->gid);
	}
	if (has(own, CAP_SETUID))
		setfsuid(to->uid);
	errno = EPERM;
	return (has(own, CAP_SETGID) && (gid_t)setfsgid((gid_t)-1) != to->gid) ||
			       (has(own, CAP_SETUID) && (uid_t)setfsuid((uid_t)-1) != to->uid)
		       ? -1
		       : 0;
}

int mp_identity_enter(const struct mp_identity_own *own, const struct mp_identity *who)
{
	struct __user_cap_header_struct header = cap_header();
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	size_t i;

	memcpy(caps, own->caps, sizeof(caps));
	for (i = 0; i < MP_ARRAY_SIZE(file_caps); i++)
		caps[file_caps[i] / 32].effective &= ~(1u << file_caps[i] % 32);
	if (syscall(SYS_capset, &header, caps) == 0 && set_ids(own, who) == 0)
		return 0;
	mp_identity_leave(own);
	return -1;
}

void mp_identity_leave(const struct mp_identity_own *own)
{
	struct __user_cap_header_struct header = cap_header();
	int saved = errno;

	if (set_ids(own, &own->identity) < 0 || syscall(SYS_capset, &header, own->caps) < 0)
		mp_die("cannot restore the original user and group ids: %m");
	prctl(PR_SET_PDEATHSIG, own->death_signal);
	errno = saved;
}
