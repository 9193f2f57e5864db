// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/open_direct.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/core/base.h"

#define CODE_MAX (8ull << 30) /* debug files of browsers have 4 GiB */
#define PERFMAP_MAX (256ull << 20)

enum { PATH_BYTES = 4200 };

/* --- one file --------------------------------------------------------------------------------- */

static int close_with(int fd, int error)
{
	close(fd);
	errno = error;
	return -1;
}

/* Checks the file of an O_PATH descriptor, before the file is opened. */
static int check(int fd, uint64_t max_bytes, struct stat *st)
{
	if (fstat(fd, st) < 0)
		return -1;
	errno = !S_ISREG(st->st_mode) ? EINVAL : (uint64_t)st->st_size > max_bytes ? EFBIG : 0;
	return errno ? -1 : 0;
}

/* Opens the file of an O_PATH descriptor for reading, and closes the descriptor. */
static int reopen(int fd)
{
	char name[32];
	int opened, error;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	opened = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	error = errno;
	close(fd);
	errno = error;
	return opened;
}

/* Whether a file is an ELF program or library, and not, for example, a core file. */
static bool is_program(int fd)
{
	unsigned char head[EI_NIDENT + 2];
	unsigned type;

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	type = head[EI_DATA] == ELFDATA2MSB ? head[EI_NIDENT] << 8 | head[EI_NIDENT + 1]
					    : head[EI_NIDENT + 1] << 8 | head[EI_NIDENT];
	return type == ET_EXEC || type == ET_DYN;
}

static int program_only(int fd)
{
	return fd < 0 || is_program(fd) ? fd : close_with(fd, ENOEXEC);
}

/* Whether a file is the log of a just-in-time compiler (lib/capture/object/jitdump.h). */
static bool is_jitdump(int fd)
{
	const uint32_t magic = 0x4a695444;
	uint32_t head;

	return pread(fd, &head, sizeof(head), 0) == sizeof(head) && head == magic;
}

static int code_only(int fd)
{
	return fd < 0 || is_jitdump(fd) ? fd : program_only(fd);
}

/* --- mapped files ----------------------------------------------------------------------------- */

/*
 * Whether the kernel reports a mapping of this file with the device and inode of `m`. On some file
 * systems (btrfs, overlayfs), the device that it reports for a mapping is not the one that fstat()
 * returns.
 */
static bool maps_like(int fd, const struct mp_open_mapping *m)
{
	void *p = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	unsigned long long start, inode;
	unsigned major, minor;
	bool same = false;
	char line[512];
	FILE *f;

	if (p == MAP_FAILED)
		return false;
	f = fopen("/proc/self/maps", "re");
	while (f && !same && fgets(line, sizeof(line), f))
		same = sscanf(line, "%llx-%*x %*s %*x %x:%x %llu", &start, &major, &minor,
			      &inode) == 4 &&
		       start == (uintptr_t)p && major == m->major && minor == m->minor &&
		       inode == m->inode;
	if (f)
		fclose(f);
	munmap(p, 1);
	return same;
}

static bool is_mapped(int fd, const struct stat *st, const struct mp_open_mapping *m)
{
	if (st->st_ino == m->inode && major(st->st_dev) == m->major &&
	    minor(st->st_dev) == m->minor)
		return true;
	return maps_like(fd, m);
}

static int open_mapped(const char *path, const struct mp_open_mapping *m)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (check(fd, CODE_MAX, &st) < 0)
		return close_with(fd, errno);
	fd = code_only(reopen(fd));
	return fd < 0 || is_mapped(fd, &st, m) ? fd : close_with(fd, ESTALE);
}

/*
 * Tries the mapping first: no process can exchange it for another file meanwhile, and deleted files
 * have it, too (this needs CAP_CHECKPOINT_RESTORE). Then tries the name in the mount namespace of
 * the process, then its program (/proc/PID/exe), and last the name in our mount namespace, for a
 * process that has ended.
 */
int mp_open_direct_code(const struct mp_open_mapping *m)
{
	char path[PATH_BYTES];
	int fd = -1;

	if (m->pid) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)m->pid,
			 (unsigned long long)m->start, (unsigned long long)m->end);
		fd = open_mapped(path, m);
	}
	if (fd < 0 && m->pid) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)m->pid, m->path);
		fd = open_mapped(path, m);
	}
	if (fd < 0 && m->pid) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)m->pid);
		fd = open_mapped(path, m);
	}
	return fd < 0 ? open_mapped(m->path, m) : fd;
}

/* --- files that only a name identifies -------------------------------------------------------- */

/* A process; its pidfd shows whether the pid still refers to it. */
struct process {
	int pidfd, root; /* -1: not open */
	struct mp_identity who;
};

static void end_process(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->root >= 0)
		close(p->root);
}

/* Whether the process has not ended, so that no other process can have its pid. */
static bool lives(const struct process *p)
{
	struct pollfd poll_fd = { .fd = p->pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 0;
}

/* False with ESRCH: the process has ended; with EACCES: we have no access to it. */
static bool begin_process(struct process *p, pid_t pid)
{
	char path[64];
	bool known, alive;

	*p = (struct process){ .pidfd = -1, .root = -1 };
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->pidfd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	p->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	known = p->root >= 0 && mp_identity_of(pid, &p->who) == 0;
	alive = lives(p);
	if (known && alive)
		return true;
	end_process(p);
	errno = alive ? EACCES : ESRCH;
	return false;
}

/* Finds a path below a folder. Links cannot lead out of the folder. */
static int find_below(int folder, const char *path, int nofollow)
{
	struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_CLOEXEC | nofollow),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/*
 * Opens a file in the root of a process with the rights of that process. `nofollow`: O_NOFOLLOW, or
 * 0.
 */
static int open_as_process(const struct mp_identity_own *own, const struct process *p,
			   const char *path, int nofollow, uint64_t max_bytes, struct stat *st)
{
	int fd;

	if (mp_identity_enter(own, &p->who) < 0)
		return -1;
	fd = find_below(p->root, path, nofollow);
	if (fd >= 0)
		fd = check(fd, max_bytes, st) < 0 ? close_with(fd, errno) : reopen(fd);
	mp_identity_leave(own);
	return fd < 0 || lives(p) ? fd : close_with(fd, ESRCH);
}

/*
 * Opens a file in our own mount namespace, where only root can mount a file over another, with the
 * rights of the file's owner. For system files, and for files of a process that has ended.
 */
static int open_as_owner(const struct mp_identity_own *own, const char *path, int nofollow,
			 uint64_t max_bytes, struct stat *st)
{
	int fd = open(path, O_PATH | O_CLOEXEC | nofollow);
	struct mp_identity owner = { .uid = 0 };

	if (fd < 0)
		return -1;
	if (check(fd, max_bytes, st) < 0)
		return close_with(fd, errno);
	owner.uid = st->st_uid;
	owner.gid = st->st_gid;
	if (mp_identity_enter(own, &owner) < 0)
		return close_with(fd, EPERM);
	fd = reopen(fd);
	mp_identity_leave(own);
	return fd;
}

/* --- debug files ------------------------------------------------------------------------------ */

static bool is_base_name(const char *name)
{
	return *name && strlen(name) <= 255 && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

static bool is_build_id(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && len <= 64 && strspn(name, "0123456789abcdef") == len;
}

/* The path of a debug file in a root folder. False: there is none. */
static bool debug_path(char *to, size_t size, const char *of, enum mp_open_debug place,
		       const char *name)
{
	const char *slash = strrchr(of, '/');
	int folder = slash ? (int)(slash - of) : 0;
	int len = -1;

	if (place <= MP_OPEN_BY_BUILD_ID_HERE && is_build_id(name))
		len = snprintf(to, size, "/usr/lib/debug/.build-id/%.2s/%s.debug", name, name + 2);
	else if (place <= MP_OPEN_BY_BUILD_ID_HERE || !slash || !is_base_name(name))
		return false;
	else if (place == MP_OPEN_BESIDE)
		len = snprintf(to, size, "%.*s/%s", folder, of, name);
	else if (place == MP_OPEN_BELOW)
		len = snprintf(to, size, "%.*s/.debug/%s", folder, of, name);
	else
		len = snprintf(to, size, "/usr/lib/debug%.*s/%s", folder, of, name);
	return len >= 0 && (size_t)len < size;
}

int mp_open_direct_debug(const struct mp_identity_own *own, const struct mp_open_mapping *m,
			 enum mp_open_debug place, const char *name)
{
	bool here = !m->pid || place == MP_OPEN_BY_BUILD_ID_HERE;
	char path[PATH_BYTES];
	struct process p;
	struct stat st;
	int fd;

	errno = ENOENT;
	if (!debug_path(path, sizeof(path), m->path, place, name))
		return -1;
	if (here || !begin_process(&p, m->pid))
		return program_only(open_as_owner(own, path, 0, CODE_MAX, &st));
	fd = open_as_process(own, &p, path, 0, CODE_MAX, &st);
	end_process(&p);
	return program_only(fd);
}

/* --- perf maps -------------------------------------------------------------------------------- */

/* Opens the perf map of a process in its root, or in ours, where a helper may have written it. */
static int open_perfmap_of(const struct mp_identity_own *own, struct process *p, pid_t pid,
			   struct stat *st)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)p->who.inner_pid);
	fd = open_as_process(own, p, path, O_NOFOLLOW, PERFMAP_MAX, st);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	close(p->root);
	p->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	return open_as_process(own, p, path, O_NOFOLLOW, PERFMAP_MAX, st);
}

int mp_open_direct_perfmap(const struct mp_identity_own *own, pid_t pid)
{
	struct process p;
	struct stat st;
	char path[64];
	bool foreign = false;
	int fd;

	if (begin_process(&p, pid)) {
		fd = open_perfmap_of(own, &p, pid, &st);
		/* the names in another user's file may be wrong */
		foreign = fd >= 0 && st.st_uid != p.who.uid && st.st_uid != 0;
		end_process(&p);
	} else if (errno == ESRCH) {
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
		fd = open_as_owner(own, path, O_NOFOLLOW, PERFMAP_MAX, &st);
	} else {
		return -1;
	}
	if (fd >= 0 && (foreign || st.st_nlink != 1)) /* a hard link may lead to any file */
		return close_with(fd, EPERM);
	return fd;
}

int mp_open_direct_named(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	return check(fd, CODE_MAX, &st) < 0 ? close_with(fd, errno) : reopen(fd);
}

/* Whether a path matches a pattern, in which '#' stands for a number. */
static bool is_like(const char *path, const char *pattern)
{
	size_t digits;

	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*path++ != *pattern)
				return false;
			continue;
		}
		digits = strspn(path, "0123456789");
		if (!digits)
			return false;
		path += digits;
	}
	return !*path;
}

int mp_open_direct_proc(const char *path)
{
	static const char *const patterns[] = {
		"/proc",	"/proc/kallsyms", "/proc/#/status",
		"/proc/#/maps", "/proc/#/task",	  "/proc/#/task/#/comm",
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(patterns); i++)
		if (is_like(path, patterns[i]))
			return open(path, O_RDONLY | O_CLOEXEC);
	errno = EACCES;
	return -1;
}
