// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the opener opens and what it refuses: mapped files whose name leads elsewhere, debug files
 * that are none, perf maps that their process may not read.
 */
#include "lib/capture/host/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/base.h"
#include "lib/core/clock.h"
#include "tests/unit/tap.h"

enum { NOBODY = 65534 };

static struct mp_opener opener;
static char folder[64], file[128];

/* Whether it was opened; closes it. */
static bool opened(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Whether we may open what /proc shows of a process: a container may lack the capability. */
static bool may_open(const char *path)
{
	return opened(open(path, O_PATH | O_CLOEXEC));
}

/* The command makes and removes files; its words have no blanks. */
static void run(const char *command)
{
	if (system(command) != 0)
		printf("# failed: %s\n", command);
}

static struct mp_open_mapping mapping_of(const char *path, void *at)
{
	struct mp_open_mapping m = { .pid = getpid(), .path = path };
	struct stat st;

	stat(path, &st);
	m.start = (uintptr_t)at;
	m.end = m.start + 4096;
	m.inode = st.st_ino;
	m.major = major(st.st_dev);
	m.minor = minor(st.st_dev);
	return m;
}

static void test_code(void)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct mp_open_mapping m = mapping_of(file, at), other = m;
	char command[512], mapping[64];

	close(fd);
	ok(at != MAP_FAILED && opened(mp_open_code(&opener, &m)), "a mapped file is opened");
	other.pid = 0;
	ok(opened(mp_open_code(&opener, &other)), "and by its name, if no process has it");
	other.inode++;
	ok(!opened(mp_open_code(&opener, &other)), "but not another file of that name");
	other = m;
	other.pid = 0;
	other.minor++;
	ok(!opened(mp_open_code(&opener, &other)), "nor one of another device");
	snprintf(command, sizeof(command), "mv %s %s.old; echo text > %s", file, file, file);
	run(command);
	snprintf(mapping, sizeof(mapping), "/proc/self/map_files/%lx-%lx", (unsigned long)m.start,
		 (unsigned long)m.end);
	if (may_open(mapping))
		ok(opened(mp_open_code(&opener, &m)),
		   "a file that was renamed is found by its mapping");
	else
		printf("# skipped: a file that was renamed (needs CAP_CHECKPOINT_RESTORE)\n");
	munmap(at, 4096);
	ok(!opened(mp_open_code(&opener, &m)), "without the mapping it is gone");
	m = mapping_of(file, at);
	ok(!opened(mp_open_code(&opener, &m)) && errno == ENOEXEC, "a text is not a program");
	snprintf(command, sizeof(command), "mv %s.old %s", file, file);
	run(command);
}

/*
 * Whether a debug link to `name` is opened, which `command` has made in the folder of the program.
 */
static bool links(const char *name, const char *command)
{
	struct mp_open_mapping m = { .pid = getpid(), .path = file };
	char full[256];

	snprintf(full, sizeof(full), "cd %s && %s", folder, command);
	run(full);
	return opened(mp_open_debug(&opener, &m, MP_OPEN_BESIDE, name));
}

static void test_debug(void)
{
	ok(links("x.debug", "cp program x.debug"), "a debug file is opened");
	ok(links("l.debug", "ln -s x.debug l.debug"), "also through a link");
	alarm(120); /* each of these could block for ever */
	ok(!links("f.debug", "mkfifo f.debug") && errno == EINVAL, "not a FIFO");
	ok(!links("d.debug", "ln -s /dev/ptmx d.debug") && errno == EINVAL, "not a device");
	ok(!links("s.debug", "truncate -s 24G s.debug") && errno == EFBIG, "not a huge file");
	alarm(0);
	ok(!links("t.debug", "echo text > t.debug") && errno == ENOEXEC, "not a text");
	ok(!links("../program", "true") && !links("..", "true") && !links("", "true"),
	   "a debug link is the name of a file");
	ok(!opened(mp_open_debug(&opener, &(struct mp_open_mapping){ .path = file },
				 MP_OPEN_BY_BUILD_ID, "../../../../bin/sh")),
	   "a build id has digits only");
}

/* Starts a process of nobody, which `prepare` prepares. Returns its pid when it is ready. */
static pid_t start(void (*prepare)(void))
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		if (prepare)
			prepare();
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) < 0)
		printf("# no process\n");
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Makes the perf map of a process. */
static void make_map(pid_t pid, uid_t owner, mode_t mode)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "1 1 x\n", 6) != 6 || fchown(fd, owner, owner) < 0 ||
	    fchmod(fd, mode) < 0)
		printf("# cannot make %s\n", path);
	close(fd);
}

static void remove_map(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	unlink(path);
}

/* In a mount namespace of its own, a process puts a file of root over its perf map. */
static void cover_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
	    mount("/etc/shadow", path, NULL, MS_BIND, NULL) < 0)
		_exit(1);
}

static void test_perfmap(void)
{
	char root[64];
	pid_t pid;

	if (geteuid() != 0) {
		printf("# skipped: perf maps of other users (needs root)\n");
		return;
	}
	pid = start(NULL);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	make_map(pid, NOBODY, 0600);
	if (may_open(root))
		ok(opened(mp_open_perfmap(&opener, pid)), "a perf map of its process is opened");
	else
		ok(!opened(mp_open_perfmap(&opener, pid)) && errno == EACCES,
		   "without access to the process, its perf map is refused");
	make_map(pid, 0, 0600);
	ok(!opened(mp_open_perfmap(&opener, pid)), "not one that the process may not read");
	make_map(pid, 12345, 0644);
	ok(!opened(mp_open_perfmap(&opener, pid)), "nor one of another user");
	make_map(pid, NOBODY, 0600);
	end(pid);
	ok(opened(mp_open_perfmap(&opener, pid)), "after the end of the process it remains");
	remove_map(pid);
	pid = start(cover_map);
	if (kill(pid, 0) == 0 && waitpid(pid, NULL, WNOHANG) == 0)
		ok(!opened(mp_open_perfmap(&opener, pid)) && errno == EACCES,
		   "a mount over the name gives nobody another user's file");
	end(pid);
	remove_map(pid);
}

/* Entering another identity and leaving it changes nothing. */
static void test_identity(void)
{
	struct mp_identity_own before, after;
	struct mp_identity nobody = { .uid = NOBODY, .gid = NOBODY };

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	mp_identity_own(&before);
	if (geteuid() == 0) {
		ok(mp_identity_enter(&before, &nobody) == 0 &&
			   open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0 && getuid() == 0,
		   "a thread takes the rights of another user, but not its uid");
		mp_identity_leave(&before);
	}
	mp_identity_own(&after);
	ok(memcmp(&before, &after, sizeof(before)) == 0, "it has its own back");
}

/* --- the helper ------------------------------------------------------------------------------- */

/* Mounts a file system of which nobody answers a request. Returns its descriptor. */
static int mount_blocking(const char *at)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	if (fd < 0)
		return -1;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 fd);
	mkdir(at, 0755);
	if (mount("nobody", at, "fuse", MS_NODEV | MS_NOSUID, options) == 0)
		return fd;
	close(fd);
	return -1;
}

static void test_blocking(void)
{
	struct mp_open_mapping m = { .pid = 0 }, good = mapping_of(file, NULL);
	char path[128], blocked[160];
	bool expired, after;
	int fd, i, error;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/fuse", folder);
	snprintf(blocked, sizeof(blocked), "%s/x", path);
	fd = geteuid() == 0 ? mount_blocking(path) : -1;
	if (fd < 0) {
		printf("# skipped: a file system that blocks (needs root and FUSE)\n");
		return;
	}
	good.pid = 0;
	m.path = blocked;
	m.inode = 1;
	expired = !opened(mp_open_code(&opener, &m)) && errno == ETIMEDOUT;
	after = opened(mp_open_code(&opener, &good));
	ok(expired && after, "a helper that is blocked is replaced");
	pid = start(NULL);
	m.pid = pid;
	for (i = 0, error = 0; i < 10 && error != EAGAIN; i++) {
		mp_open_code(&opener, &m);
		error = errno;
	}
	ok(error == EAGAIN && i == 4, "a user whose files block is refused");
	ok(opened(mp_open_code(&opener, &good)), "others are not");
	ok(opener.deadline_ms < 100, "the deadline becomes shorter");
	end(pid);
	umount2(path, MNT_DETACH);
	close(fd);
}

static void test_flood(void)
{
	enum { RATE = 2000, BURST = 30000, SECONDS = 60 };
	struct mp_open_mapping m = mapping_of(file, NULL);
	uint64_t began_ns = mp_monotonic_ns(), ns = 0, n = 0, allowed = BURST;

	m.pid = 0;
	while (n <= allowed && ns < SECONDS * MP_NS_PER_SEC && opened(mp_open_code(&opener, &m))) {
		n++;
		ns = mp_monotonic_ns() - began_ns;
		allowed = BURST + ns * RATE / MP_NS_PER_SEC;
	}
	if (ns < SECONDS * MP_NS_PER_SEC)
		ok(n >= 1000 && n <= allowed && errno == EAGAIN, "a flood of requests is refused");
	else
		ok(n <= allowed, "no flood: %llu requests in %d s", (unsigned long long)n, SECONDS);
}

static void test_helper(void)
{
	struct mp_open_helper helper;
	pid_t pids[2];
	int i;

	if (mp_open_helper_start(&helper) < 0) {
		ok(false, "a helper starts");
		return;
	}
	memcpy(pids, helper.pids, sizeof(pids));
	mp_opener_use(&opener, &helper, NULL);
	test_code();
	test_debug();
	test_perfmap();
	test_blocking();
	test_flood();
	mp_open_helper_end(&helper);
	/* the keeper does not wait long for a helper that needs a CPU to end */
	for (i = 0; i < 6000 && kill(pids[0], 0) == 0; i++)
		usleep(10000);
	ok(kill(pids[1], 0) < 0 && kill(pids[0], 0) < 0, "its processes end");
}

int main(void)
{
	char command[512];

	mp_init("unit-opener");
	if (geteuid() == 0 &&
	    (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0))
		printf("# mounts are visible to others\n");
	snprintf(folder, sizeof(folder), "/tmp/unit-opener-XXXXXX");
	if (!mkdtemp(folder))
		mp_die("cannot make a folder: %m");
	snprintf(file, sizeof(file), "%s/program", folder);
	snprintf(command, sizeof(command), "cp /bin/true %s", file);
	run(command);
	mp_opener_init(&opener);
	test_code();
	test_debug();
	test_perfmap();
	test_identity();
	snprintf(command, sizeof(command), "rm %s/*.debug", folder);
	run(command);
	test_helper();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	run(command);
	return tap_done();
}
