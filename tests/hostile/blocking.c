// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocking FOLDER UID PROGRAM ARG...: as root, mounts on FOLDER, in a mount namespace of its own, a
 * file system that answers no request, as a network file system whose server is gone. Then becomes
 * the user UID, says "ready", and runs the program.
 */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	char options[128];
	uid_t uid;
	int fd;

	if (argc < 4)
		return 2;
	uid = (uid_t)strtoul(argv[2], NULL, 10);
	fd = open("/dev/fuse", O_RDWR); /* stays open, or all requests fail */
	check(fd, "/dev/fuse");
	check(unshare(CLONE_NEWNS), "unshare");
	check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount");
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other", fd, uid, uid);
	check(mount("nobody", argv[1], "fuse", MS_NODEV | MS_NOSUID, options), argv[1]);
	check(setgroups(0, NULL), "setgroups");
	check(setgid(uid), "setgid");
	check(setuid(uid), "setuid");
	say_ready();
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 1;
}
