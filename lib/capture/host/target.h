/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target of a recording: CPUs, tasks, cgroups or a command. Includes proc.
 */
#ifndef MP_CAPTURE_HOST_TARGET_H
#define MP_CAPTURE_HOST_TARGET_H

#include "lib/capture/host/proc.h"

struct mp_cgroup {
	char *path; /* path below the mount point of cgroup2; begins with a slash */
	int fd;
};

struct mp_target {
	int *cpus;
	size_t n_cpus;
	/* threads to record; if there are none, and no cgroups: the whole system */
	struct mp_pids tids;
	bool inherit; /* record the children of the tasks, too */
	bool on_exec; /* the only task is a command that waits to be started */
	struct mp_cgroup *cgroups;
	size_t n_cgroups, cap_cgroups;
};

/*
 * Appends the cgroups whose path below the mount point matches (fnmatch(3)). Returns 0, or -1 with
 * `*error`.
 */
int mp_target_add_cgroups(struct mp_target *t, const char *glob, char **error);

/* Appends the processes of a cgroup and its descendants that are not in the list yet. */
void mp_cgroup_processes(const struct mp_cgroup *cgroup, struct mp_pids *pids);

void mp_target_release(struct mp_target *t);

/*
 * The paths of cgroups by their id, which is the inode of the folder. A path is "" if it is not
 * known, and valid until the next call. All paths together take at most some 8 MiB.
 */
struct mp_cgroup_names;

/* Returns the path of a cgroup, which the caller frees. */
typedef char *mp_cgroup_ask_fn(void *arg, uint64_t id);

/* `ask` finds the paths that are not known yet; NULL: they are read from the file system. */
struct mp_cgroup_names *mp_cgroup_names_new(mp_cgroup_ask_fn *ask, void *arg);
void mp_cgroup_names_free(struct mp_cgroup_names *n);
const char *mp_cgroup_name(struct mp_cgroup_names *n, uint64_t id);

#endif
