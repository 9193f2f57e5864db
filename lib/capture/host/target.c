// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <mntent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/map.h"

enum {
	KERNFS_HANDLE = 0xfe, /* FILEID_KERNFS of Linux 5.5 */
	NAMES_MAX_BYTES = 8 << 20,
	WALK_FACTOR = 10, /* a search may take 1/WALK_FACTOR of the time */
};

/* Where cgroup2 is mounted; NULL if it is not. Owned by the caller. */
static char *cgroup_mount(void)
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
	char *mount = cgroup_mount();

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
	char *mount = cgroup_mount(), *path;

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
	mp_cgroup_ask_fn *ask;
	void *arg;
	char *mount;
	int mount_fd;
	uint64_t walked_ns,
		walk_ns;   /* end of the last search of all cgroups, and how long it took */
	struct mp_map map; /* keys are ids, there are no values; the path is in the arena */
};

struct mp_cgroup_names *mp_cgroup_names_new(mp_cgroup_ask_fn *ask, void *arg)
{
	struct mp_cgroup_names *n = mp_zalloc(sizeof(*n));

	n->ask = ask;
	n->arg = arg;
	n->mount = ask ? NULL : cgroup_mount();
	n->mount_fd = n->mount ? open(n->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	mp_map_init(&n->map, sizeof(char *));
	return n;
}

void mp_cgroup_names_free(struct mp_cgroup_names *n)
{
	if (!n)
		return;
	if (n->mount_fd >= 0)
		close(n->mount_fd);
	mp_map_release(&n->map);
	free(n->mount);
	free(n);
}

/* Remembers the path of a cgroup, "" for one that was removed. */
static const char *remember(struct mp_cgroup_names *n, uint64_t id, const char *path)
{
	struct mp_str key = { (const char *)&id, sizeof(id) };
	const char **name = mp_map_value(mp_map_put(&n->map, &key, 1, NULL));

	*name = mp_arena_str(&n->map.arena, mp_str(path)).p;
	return *name;
}

/* The part of a path after the mount point; NULL if it is not below that. */
static const char *below_mount(const struct mp_cgroup_names *n, const char *path)
{
	size_t len = strlen(n->mount);

	if (strncmp(path, n->mount, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len : "/";
}

/*
 * Opens a cgroup by its id, which is its file handle; needs CAP_DAC_READ_SEARCH. -1 with ESTALE: it
 * was removed.
 */
static int open_by_id(const struct mp_cgroup_names *n, uint64_t id)
{
	union {
		struct file_handle head;
		char bytes[sizeof(struct file_handle) + sizeof(uint64_t)];
	} handle = { .head = { .handle_bytes = sizeof(id), .handle_type = KERNFS_HANDLE } };

	memcpy(handle.bytes + offsetof(struct file_handle, f_handle), &id, sizeof(id));
	return open_by_handle_at(n->mount_fd, &handle.head, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Finds a cgroup by its id. False: that is not possible here. */
static bool find_by_id(struct mp_cgroup_names *n, uint64_t id, const char **name)
{
	char link[64], path[PATH_MAX];
	const char *below;
	ssize_t len;
	int fd = open_by_id(n, id);

	if (fd < 0 && errno == ESTALE)
		*name = remember(n, id, "");
	if (fd < 0)
		return errno == ESTALE;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	close(fd);
	path[MP_MAX(len, 0)] = '\0';
	below = below_mount(n, path);
	*name = remember(n, id, below ? below : "");
	return true;
}

static void learn(void *arg, const char *path, size_t mount_len)
{
	struct mp_cgroup_names *n = arg;
	struct stat st;

	if (mp_map_bytes(&n->map) < NAMES_MAX_BYTES && stat(path, &st) == 0)
		remember(n, st.st_ino, path[mount_len] ? path + mount_len : "/");
}

static const char *find(const struct mp_cgroup_names *n, uint64_t id)
{
	struct mp_str key = { (const char *)&id, sizeof(id) };
	const struct mp_map_entry *e = mp_map_find(&n->map, &key, 1);

	return e ? *(const char **)mp_map_value(e) : NULL;
}

/*
 * Searches all cgroups, which takes a second if there are 100,000, but at most a tenth of the time.
 */
static void search(struct mp_cgroup_names *n)
{
	uint64_t began_ns = mp_monotonic_ns();

	if (began_ns - n->walked_ns < WALK_FACTOR * n->walk_ns)
		return;
	walk(n->mount, strlen(n->mount), learn, n);
	n->walked_ns = mp_monotonic_ns();
	n->walk_ns = n->walked_ns - began_ns;
}

const char *mp_cgroup_name(struct mp_cgroup_names *n, uint64_t id)
{
	const char *name = find(n, id);
	char *asked;

	if (name)
		return name;
	if (mp_map_bytes(&n->map) > NAMES_MAX_BYTES)
		mp_map_clear(&n->map);
	if (n->ask) {
		asked = n->ask(n->arg, id);
		name = remember(n, id, asked);
		free(asked);
		return name;
	}
	if (!n->mount)
		return "";
	if (find_by_id(n, id, &name))
		return name;
	search(n);
	name = find(n, id);
	return name ? name : remember(n, id, ""); /* do not search for it again */
}
