// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/stream/glob.h"

struct mp_tracefs {
	char *events; /* path of the folder events/ */
	int mount_fd; /* fd of our own mount; -1 if tracefs was mounted already */
};

/* From linux/mount.h, which cannot be included together with glibc 2.36's sys/mount.h. */
#ifndef FSCONFIG_CMD_CREATE
#define FSCONFIG_CMD_CREATE 6
#endif

static int sys_fsopen(const char *type)
{
	return syscall(SYS_fsopen, type, 1 /* FSOPEN_CLOEXEC */);
}

/*
 * A mount that is in no namespace: it can only be reached through its fd, and ends when that is
 * closed.
 */
static int mount_detached(void)
{
	int fs = sys_fsopen("tracefs"), fd = -1;

	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	close(fs);
	return fd;
}

struct mp_tracefs *mp_tracefs_open(void)
{
	static const char *const places[] = {
		"/sys/kernel/tracing/events",
		"/sys/kernel/debug/tracing/events",
	};
	struct mp_tracefs *t = mp_zalloc(sizeof(*t));
	int saved;
	size_t i;

	t->mount_fd = -1;
	for (i = 0; i < MP_ARRAY_SIZE(places) && !t->events; i++)
		if (faccessat(AT_FDCWD, places[i], R_OK | X_OK, AT_EACCESS) == 0)
			t->events = mp_strdup(places[i]);
		else if (errno == EACCES)
			break;
	if (!t->events && errno != EACCES) {
		t->mount_fd = mount_detached();
		if (t->mount_fd >= 0)
			t->events = mp_asprintf("/proc/self/fd/%d/events", t->mount_fd);
	}
	if (!t->events) {
		saved = errno;
		free(t);
		errno = saved;
		return NULL;
	}
	return t;
}

void mp_tracefs_close(struct mp_tracefs *t)
{
	if (!t)
		return;
	if (t->mount_fd >= 0)
		close(t->mount_fd);
	free(t->events);
	free(t);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the folders in a folder whose names match, sorted. The caller frees the names. */
static char **list_folders(const char *path, const char *glob, size_t *n)
{
	DIR *dir = opendir(path);
	char **names = NULL;
	struct dirent *d;
	size_t cap = 0;

	*n = 0;
	while (dir && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' || !mp_glob_plain(glob, d->d_name))
			continue;
		names = mp_grow(names, &cap, *n + 1, sizeof(*names));
		names[(*n)++] = mp_strdup(d->d_name);
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(names, *n, sizeof(*names), by_name);
	return names;
}

static void free_list(char **names, size_t n)
{
	while (n)
		free(names[--n]);
	free(names);
}

static bool is_event(const struct mp_tracefs *t, const char *system, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s/id", t->events, system, name);
	return faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0;
}

size_t mp_tracefs_each(struct mp_tracefs *t, const char *glob, mp_tracefs_fn *each, void *arg)
{
	const char *colon = strchr(glob, ':');
	size_t n_systems, n_names, found = 0, i, j;
	char *system_glob, **systems;

	system_glob = colon ? mp_strndup(glob, colon - glob) : mp_strdup(glob);
	systems = list_folders(t->events, system_glob, &n_systems);
	for (i = 0; i < n_systems; i++) {
		char *path = mp_asprintf("%s/%s", t->events, systems[i]);
		char **names = list_folders(path, colon ? colon + 1 : "*", &n_names);

		for (j = 0; j < n_names; j++) {
			if (!is_event(t, systems[i], names[j]))
				/* skips ftrace/function and similar, which are not perf events */
				continue;
			found++;
			each(arg, systems[i], names[j]);
		}
		free_list(names, n_names);
		free(path);
	}
	free_list(systems, n_systems);
	free(system_glob);
	return found;
}

static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mp_buf text = { NULL, 0, 0 };
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		mp_buf_reserve(&text, 16 << 10);
		n = read(fd, text.p + text.len, text.cap - text.len - 1);
		if (n > 0)
			text.len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	if (n < 0) {
		mp_buf_release(&text);
		return NULL;
	}
	text.p[text.len] = '\0';
	*len = text.len;
	return text.p;
}

char *mp_tracefs_read(struct mp_tracefs *t, const char *file)
{
	char *path = mp_asprintf("%s/../%s", t->events, file), *text;
	size_t len;

	text = read_file(path, &len);
	free(path);
	return text;
}

int mp_tracefs_append(struct mp_tracefs *t, const char *file, struct mp_str line)
{
	char *path = mp_asprintf("%s/../%s", t->events, file);
	/* without O_TRUNC, which would empty it */
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), saved;
	ssize_t n;

	free(path);
	if (fd < 0)
		return -1;
	n = write(fd, line.p, line.len);
	saved = errno;
	close(fd);
	errno = saved;
	return n == (ssize_t)line.len ? 0 : -1;
}

char *mp_tracefs_format(struct mp_tracefs *t, const char *system, const char *name)
{
	char *path = mp_asprintf("%s/%s/%s/format", t->events, system, name), *text;
	size_t len;

	text = read_file(path, &len);
	free(path);
	return text;
}

struct mp_tp *mp_tracefs_load(struct mp_tracefs *t, const char *system, const char *name,
			      const char **why)
{
	char *text = mp_tracefs_format(t, system, name);
	struct mp_tp *tp;

	if (!text) {
		*why = strerror(errno);
		return NULL;
	}
	tp = mp_tp_parse(mp_str(text), system);
	if (!tp)
		*why = "its format cannot be parsed";
	free(text);
	return tp;
}

char *mp_tracefs_advice(int error)
{
	if (error == EACCES || error == EPERM)
		return mp_strdup(
			"cannot read tracefs (/sys/kernel/tracing): permission denied; tracepoints "
			"need root. Without it: -e cpu-clock or -e page-faults of your own "
			"processes (-p PID, -- COMMAND)");
	return mp_asprintf("cannot find tracefs: %s (mount -t tracefs none /sys/kernel/tracing)",
			   strerror(error));
}
