// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups FOLDER N: makes N cgroups with control bytes in their names below FOLDER, which belongs
 * to this user, and says "ready". Once its starter has moved it to the cgroup FOLDER, it makes a
 * further cgroup, works in it for 1 ms and removes it, again and again, until it is killed.
 * `cgroups FOLDER 0` removes all of them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { WORK_NS = 1000000 };

/* Moves this process to a cgroup. */
static void enter(const char *folder)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) < 0)
		usleep(1000); /* not in FOLDER yet */
	if (fd >= 0)
		close(fd);
}

static void work(void)
{
	struct timespec now;
	long long end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec * 1000000000ll + now.tv_nsec + WORK_NS;
	syscall(SYS_getsid, 0);
	while (now.tv_sec * 1000000000ll + now.tv_nsec < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

static void make(const char *folder, const char *name, long i, char path[4096])
{
	snprintf(path, 4096, "%s/\033[2J\t,\r%s\001%ld", folder, name, i);
	if (mkdir(path, 0755) < 0) {
		perror("mkdir");
		exit(1);
	}
}

static int remove_all(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			unlinkat(dirfd(dir), d->d_name, AT_REMOVEDIR);
	return dir ? closedir(dir) : 1;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0, i;
	char path[4096], leaf[4096];

	if (argc < 3)
		return 1;
	if (!n)
		return remove_all(argv[1]);
	make(argv[1], "own", 0, leaf);
	for (i = 0; i < n; i++)
		make(argv[1], "", i, path);
	say_ready();
	for (i = 0;; i++) {
		make(argv[1], "new", i, path);
		enter(path);
		work();
		enter(leaf);
		rmdir(path);
	}
}
