// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/map.h"

char *mp_cgroup_mount(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	char *dir = NULL;

	while (f && !dir && (m = getmntent(f)))
		if (strcmp(m->mnt_type, "cgroup2") == 0)
			dir = mp_strdup(m->mnt_dir);
	if (f)
		endmntent(f);
	return dir;
}

/* Calls `each` for a folder and all folders below it; `path` begins with the mount point. */
typedef void walk_fn(void *arg, const char *path, size_t mount_len);

static void walk(const char *path, size_t mount_len, walk_fn *each, void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	each(arg, path, mount_len);
	while (dir && (d = readdir(dir))) {
		char *below;

		if (d->d_type != DT_DIR || strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0)
			continue;
		below = mp_asprintf("%s/%s", path, d->d_name);
		walk(below, mount_len, each, arg);
		free(below);
	}
	if (dir)
		closedir(dir);
}

struct choice {
	struct mp_target *target;
	const char *glob;
	size_t found;
};

static void add_if_matches(void *arg, const char *path, size_t mount_len)
{
	struct choice *c = arg;
	struct mp_target *t = c->target;
	const char *below = path[mount_len] ? path + mount_len : "/";
	int fd;

	if (fnmatch(c->glob, below + (c->glob[0] != '/'), FNM_PATHNAME) != 0)
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	t->cgroups = mp_grow(t->cgroups, &t->cap_cgroups, t->n_cgroups + 1, sizeof(*t->cgroups));
	t->cgroups[t->n_cgroups++] = (struct mp_cgroup){ mp_strdup(below), fd };
	c->found++;
}

int mp_target_add_cgroups(struct mp_target *t, const char *glob, char **error)
{
	struct choice c = { t, glob, 0 };
	char *mount = mp_cgroup_mount();

	if (!mount) {
		*error = mp_strdup("cgroup2 is not mounted (mount -t cgroup2 none /sys/fs/cgroup)");
		return -1;
	}
	walk(mount, strlen(mount), add_if_matches, &c);
	if (!c.found)
		*error = mp_asprintf("no cgroup '%s' below %s", glob, mount);
	free(mount);
	return c.found ? 0 : -1;
}

static void add_processes(void *arg, const char *path, size_t mount_len)
{
	char *file = mp_asprintf("%s/cgroup.procs", path);
	FILE *f = fopen(file, "re");
	int pid;

	(void)mount_len;
	while (f && fscanf(f, "%d", &pid) == 1)
		if (!mp_pids_has(arg, pid))
			mp_pids_add(arg, pid);
	if (f)
		fclose(f);
	free(file);
}

void mp_cgroup_processes(const struct mp_cgroup *cgroup, struct mp_pids *pids)
{
	char *mount = mp_cgroup_mount(), *path;

	if (!mount)
		return;
	path = mp_asprintf("%s%s", mount, cgroup->path);
	walk(path, strlen(mount), add_processes, pids);
	free(path);
	free(mount);
}

void mp_target_release(struct mp_target *t)
{
	size_t i;

	for (i = 0; i < t->n_cgroups; i++) {
		free(t->cgroups[i].path);
		close(t->cgroups[i].fd);
	}
	free(t->cgroups);
	free(t->cpus);
	mp_pids_release(&t->tids);
}

struct mp_cgroup_names {
	char *mount;
	struct mp_map map; /* keys are ids, there are no values; the path is in the arena */
};

struct mp_cgroup_names *mp_cgroup_names_new(void)
{
	struct mp_cgroup_names *n = mp_zalloc(sizeof(*n));

	n->mount = mp_cgroup_mount();
	mp_map_init(&n->map, sizeof(char *));
	return n;
}

void mp_cgroup_names_free(struct mp_cgroup_names *n)
{
	if (!n)
		return;
	mp_map_release(&n->map);
	free(n->mount);
	free(n);
}

static struct mp_map_entry *entry_of(struct mp_cgroup_names *n, uint64_t id)
{
	struct mp_str key = { (const char *)&id, sizeof(id) };

	return mp_map_put(&n->map, &key, 1, NULL);
}

static void learn(void *arg, const char *path, size_t mount_len)
{
	struct mp_cgroup_names *n = arg;
	const char **name;
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	name = mp_map_value(entry_of(n, st.st_ino));
	*name = mp_arena_str(&n->map.arena, mp_str(path[mount_len] ? path + mount_len : "/")).p;
}

const char *mp_cgroup_name(struct mp_cgroup_names *n, uint64_t id)
{
	const char **name = mp_map_value(entry_of(n, id));

	if (*name)
		return *name;
	if (n->mount)
		walk(n->mount, strlen(n->mount), learn, n);
	if (!*name)
		*name = ""; /* the cgroup was removed: do not search for it again */
	return *name;
}
