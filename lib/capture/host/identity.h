/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files with the rights of another user: the calling thread takes the fsuid, fsgid and groups
 * of a process, and gives up the capabilities that override permissions of files. It keeps its
 * other user ids, so that user can neither signal nor trace it. Includes libc only.
 */
#ifndef MP_CAPTURE_HOST_IDENTITY_H
#define MP_CAPTURE_HOST_IDENTITY_H

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MP_IDENTITY_GROUPS = 256 }; /* further groups are dropped, which only takes rights away */

struct mp_identity {
	uid_t uid; /* fsuid */
	gid_t gid; /* fsgid */
	gid_t groups[MP_IDENTITY_GROUPS];
	int n_groups;
	pid_t inner_pid; /* of a process: its pid in its own pid namespace */
};

/* The identity of a thread, to be restored later. */
struct mp_identity_own {
	struct mp_identity identity;
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	int death_signal; /* prctl(PR_SET_PDEATHSIG): each change of ids clears it */
};

/* Reads the identity of a process. Returns 0, or -1 with errno: it has ended. */
int mp_identity_of(pid_t pid, struct mp_identity *to);

/* Reads the identity of the calling thread. Returns 0, or -1 with errno. */
int mp_identity_own(struct mp_identity_own *own);

/*
 * Takes an identity. A thread without the capability to do so keeps its own identity and rights. 0,
 * or -1 with errno: for example, the user has no id in our user namespace.
 */
int mp_identity_enter(const struct mp_identity_own *own, const struct mp_identity *who);

/* Restores the thread's own identity; ends the program if that fails. Keeps errno. */
void mp_identity_leave(const struct mp_identity_own *own);

#endif
