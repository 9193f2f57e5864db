/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files with the rights of another user: the calling thread takes the fsuid, fsgid and groups
 * of a process, and gives up the capabilities that override permissions of files. Its user ids
 * stay, so that user can neither signal nor trace it. Includes libc only.
 */
#ifndef MP_CAPTURE_HOST_IDENTITY_H
#define MP_CAPTURE_HOST_IDENTITY_H

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MP_IDENTITY_GROUPS = 256 }; /* further groups are dropped, so there are fewer rights */

struct mp_identity {
	uid_t uid; /* fsuid */
	gid_t gid; /* fsgid */
	gid_t groups[MP_IDENTITY_GROUPS];
	int n_groups;
	pid_t inner_pid; /* of a process: its pid in its own pid namespace */
};

/* What a thread has, to be taken back. */
struct mp_identity_own {
	struct mp_identity identity;
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	int death_signal; /* prctl(PR_SET_PDEATHSIG): the kernel clears it with each change of ids */
};

/* Reads the identity of a process. 0, or -1 with errno: it has ended. */
int mp_identity_of(pid_t pid, struct mp_identity *to);

/* Reads what the calling thread has. 0, or -1 with errno. */
int mp_identity_own(struct mp_identity_own *own);

/*
 * Takes an identity. Without the capability to do so a thread keeps its own, and its rights with
 * it. 0, or -1 with errno: this user has no id in our user namespace, for example.
 */
int mp_identity_enter(const struct mp_identity_own *own, const struct mp_identity *who);

/* Takes the own identity back; ends the program if that fails. Keeps errno. */
void mp_identity_leave(const struct mp_identity_own *own);

#endif
