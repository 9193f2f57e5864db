// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAPS_MAX_BYTES = 4 << 20 };

void mp_pids_add(struct mp_pids *pids, pid_t pid)
{
	pids->v = mp_grow(pids->v, &pids->cap, pids->n + 1, sizeof(*pids->v));
	pids->v[pids->n++] = pid;
}

bool mp_pids_has(const struct mp_pids *pids, pid_t pid)
{
	size_t i;

	for (i = 0; i < pids->n; i++)
		if (pids->v[i] == pid)
			return true;
	return false;
}

void mp_pids_remove(struct mp_pids *pids, pid_t pid)
{
	size_t i;

	for (i = 0; i < pids->n; i++)
		if (pids->v[i] == pid)
			pids->v[i--] = pids->v[--pids->n];
}

void mp_pids_release(struct mp_pids *pids)
{
	free(pids->v);
	*pids = (struct mp_pids){ NULL, 0, 0 };
}

/* Converts a text to a pid; -1 if it is not a number. */
static pid_t parse_pid(struct mp_str text)
{
	uint64_t pid;

	return mp_num_u64(text, &pid) == 0 && pid <= INT32_MAX ? (pid_t)pid : -1;
}

int mp_pids_parse(struct mp_pids *pids, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ", \n");
		pid_t pid = parse_pid((struct mp_str){ list, len });

		if (pid <= 0)
			return -1;
		mp_pids_add(pids, pid);
		list += len + (list[len] != '\0');
	}
	return pids->n ? 0 : -1;
}

static struct {
	mp_proc_open_fn *call;
	void *arg;
} opener;

void mp_proc_open_by(mp_proc_open_fn *open, void *arg)
{
	opener.call = open;
	opener.arg = arg;
}

int mp_proc_open(const char *path)
{
	return opener.call ? opener.call(opener.arg, path) : open(path, O_RDONLY | O_CLOEXEC);
}

/* Adds the entries of a folder whose names are numbers. */
static void add_entries(const char *path, struct mp_pids *pids)
{
	int fd = mp_proc_open(path);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *d;
	pid_t pid;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (d = readdir(dir)))
		if ((pid = parse_pid(mp_str(d->d_name))) > 0)
			mp_pids_add(pids, pid);
	if (dir)
		closedir(dir);
}

void mp_proc_processes(struct mp_pids *pids)
{
	add_entries("/proc", pids);
}

void mp_proc_threads(pid_t pid, struct mp_pids *tids)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	add_entries(path, tids);
}

void mp_proc_threads_of(const struct mp_pids *pids, struct mp_pids *tids)
{
	size_t i;

	for (i = 0; i < pids->n; i++)
		mp_proc_threads(pids->v[i], tids);
}

ssize_t mp_proc_read(const char *path, char *to, size_t size)
{
	int fd = mp_proc_open(path);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, to, size - 1);
	close(fd);
	if (n >= 0)
		to[n] = '\0';
	return n;
}

bool mp_proc_line(const char *path, char *to, size_t size)
{
	if (mp_proc_read(path, to, size) <= 0)
		return false;
	to[strcspn(to, "\n")] = '\0';
	return true;
}

/*
 * Reads /proc/PID/status to `text` and finds the values on the line "KEY:\tVALUE..."; NULL if there
 * is no such line.
 */
static char *status_values(char text[4096], pid_t pid, const char *key)
{
	char path[64], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (mp_proc_read(path, text, 4096) < 0)
		return NULL;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			return line + strlen(key) + 1;
	}
	return NULL;
}

/* The last number on a line of /proc/PID/status; -1 if there is none. */
static pid_t status_number(pid_t pid, const char *key)
{
	char text[4096], *values = status_values(text, pid, key), *end, *digits;

	if (!values)
		return -1;
	end = digits = values + strcspn(values, "\n");
	while (digits > values && isdigit((unsigned char)digits[-1]))
		digits--;
	return parse_pid((struct mp_str){ digits, end - digits });
}

bool mp_proc_written(pid_t pid, uint64_t *bytes)
{
	unsigned long long n;
	char path[64], text[512];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	if (mp_proc_read(path, text, sizeof(text)) < 0)
		return false;
	line = strstr(text, "wchar: ");
	if (!line || sscanf(line, "wchar: %llu", &n) != 1)
		return false;
	*bytes = n;
	return true;
}

uid_t mp_proc_uid(pid_t pid)
{
	char text[4096], *values = status_values(text, pid, "Uid");
	unsigned uid;

	return values && sscanf(values, "%u", &uid) == 1 ? uid : (uid_t)-1;
}

char mp_proc_state(pid_t pid)
{
	char text[4096], *values = status_values(text, pid, "State");

	return values && *values == '\t' ? values[1] : '\0';
}

pid_t mp_proc_process_of(pid_t tid)
{
	return status_number(tid, "Tgid");
}

/* Adds the processes that a thread has started, unless the list has them. */
static void add_children_of(pid_t pid, pid_t tid, struct mp_pids *pids)
{
	char path[64], number[16];
	pid_t child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%15s", number) == 1)
		if ((child = parse_pid(mp_str(number))) > 0 && !mp_pids_has(pids, child))
			mp_pids_add(pids, child);
	if (f)
		fclose(f);
}

/*
 * Adds the children of each thread of the processes, and then the children of those that it has
 * added.
 */
static void ask_threads(struct mp_pids *pids)
{
	size_t i, j;

	for (i = 0; i < pids->n; i++) {
		struct mp_pids tids = { NULL, 0, 0 };

		mp_proc_threads(pids->v[i], &tids);
		for (j = 0; j < tids.n; j++)
			add_children_of(pids->v[i], tids.v[j], pids);
		mp_pids_release(&tids);
	}
}

/* As ask_threads(), but by the parents of all processes, for kernels without lists of children. */
static void search_children(struct mp_pids *pids)
{
	struct mp_pids all = { NULL, 0, 0 };
	bool more = true;
	pid_t *parents;
	size_t i;

	mp_proc_processes(&all);
	parents = mp_alloc(all.n * sizeof(*parents));
	for (i = 0; i < all.n; i++)
		parents[i] = status_number(all.v[i], "PPid");
	while (more) {
		more = false;
		for (i = 0; i < all.n; i++) {
			if (!mp_pids_has(pids, parents[i]) || mp_pids_has(pids, all.v[i]))
				continue;
			mp_pids_add(pids, all.v[i]);
			more = true;
		}
	}
	free(parents);
	mp_pids_release(&all);
}

void mp_proc_add_children(struct mp_pids *pids)
{
	size_t before;

	if (access("/proc/thread-self/children", F_OK) < 0) {
		search_children(pids);
		return;
	}
	/*
	 * the kernel may omit a child while the preceding one ends: asks until nothing new is found
	 */
	do {
		before = pids->n;
		ask_threads(pids);
	} while (pids->n > before);
}

void mp_proc_inner_ids(pid_t tid, pid_t *inner_pid, pid_t *inner_tid)
{
	*inner_pid = status_number(tid, "NStgid");
	*inner_tid = status_number(tid, "NSpid");
}

uint32_t mp_proc_inner_namespace(void)
{
	const uint32_t initial = 0xeffffffc; /* PROC_PID_INIT_INO */
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || (uint32_t)st.st_ino == initial)
		return 0;
	return (uint32_t)st.st_ino;
}

/* The note in which the linker puts the build id. */
static const unsigned char *find_build_id(const unsigned char *p, const unsigned char *end,
					  size_t *len)
{
	Elf64_Nhdr note;
	size_t name, desc;

	for (; end - p >= (ptrdiff_t)sizeof(note); p += sizeof(note) + name + desc) {
		memcpy(&note, p, sizeof(note));
		name = (note.n_namesz + 3) & ~(size_t)3;
		desc = (note.n_descsz + 3) & ~(size_t)3;
		if ((size_t)(end - p) - sizeof(note) < name + desc)
			return NULL;
		*len = note.n_descsz;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(p + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0)
			return p + sizeof(note) + name;
	}
	return NULL;
}

char *mp_proc_kernel_id(void)
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	unsigned char notes[4096];
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	const unsigned char *id;
	struct mp_buf hex = { NULL, 0, 0 };
	size_t len, i;

	if (fd >= 0)
		close(fd);
	id = n > 0 ? find_build_id(notes, notes + n, &len) : NULL;
	for (i = 0; id && i < len; i++)
		mp_buf_printf(&hex, "%02x", id[i]);
	return hex.p;
}

bool mp_proc_comm(pid_t pid, pid_t tid, char comm[64], size_t *len)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	n = mp_proc_read(path, comm, 64);
	if (n < 0)
		return false;
	*len = n && comm[n - 1] == '\n' ? n - 1 : n;
	return true;
}

/* Parses a line such as "7f...-7f... r-xp 00001000 fd:01 1234 /usr/bin/x". */
static bool parse_map(char *line, struct mp_proc_map *map)
{
	const char *perms = strchr(line, ' ');
	unsigned long long start, end, offset, inode;
	unsigned major, minor;
	int at = 0;

	if (!perms || strnlen(perms, 4) < 4 || perms[3] != 'x' ||
	    sscanf(line, "%llx-%llx %*7s %llx %x:%x %llu %n", &start, &end, &offset, &major, &minor,
		   &inode, &at) < 6)
		return false;
	*map = (struct mp_proc_map){ start, end, offset, major, minor, inode, at ? line + at : "" };
	return true;
}

/*
 * The kernel writes a newline in a path as \012, and escapes nothing else. In one pass: a path may
 * have millions of them.
 */
static void unescape_path(char *path)
{
	char *to = strstr(path, "\\012");
	const char *from = to;

	while (from && *from) {
		bool newline = strncmp(from, "\\012", 4) == 0;

		*to++ = newline ? '\n' : *from;
		from += newline ? 4 : 1;
	}
	if (to)
		*to = '\0';
}

bool mp_proc_maps(pid_t pid, mp_proc_map_fn *each, void *arg)
{
	struct mp_proc_map map;
	char path[64], *line = NULL;
	size_t cap = 0, bytes = 0;
	ssize_t n;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = mp_proc_open(path);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	while (f && bytes < MAPS_MAX_BYTES && (n = getline(&line, &cap, f)) > 0) {
		bytes += n;
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (!parse_map(line, &map))
			continue;
		unescape_path((char *)map.path);
		each(arg, &map);
	}
	if (f && !feof(f) && errno == ENOMEM)
		mp_die("out of memory");
	if (f)
		fclose(f);
	free(line);
	return bytes < MAPS_MAX_BYTES;
}

static ino_t pipe_of(pid_t pid, const char *fd)
{
	char path[80];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, fd);
	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode) ? st.st_ino : 0;
}

static bool is_in(const ino_t *v, size_t n, ino_t ino)
{
	while (n)
		if (v[--n] == ino)
			return true;
	return false;
}

/* Whether a process has one of the pipes open; if so, adds those that are its stdin and stdout. */
static bool joins(pid_t pid, ino_t **pipes, size_t *n, size_t *cap)
{
	const char *fds[] = { "0", "1" };
	bool shares = false;
	ino_t ino;
	size_t i;

	for (i = 0; i < 2 && !shares; i++)
		shares = (ino = pipe_of(pid, fds[i])) && is_in(*pipes, *n, ino);
	for (i = 0; i < 2 && shares; i++) {
		ino = pipe_of(pid, fds[i]);
		if (!ino || is_in(*pipes, *n, ino))
			continue;
		*pipes = mp_grow(*pipes, cap, *n + 1, sizeof(**pipes));
		(*pipes)[(*n)++] = ino;
	}
	return shares;
}

void mp_proc_pipeline(struct mp_pids *pids)
{
	const char *fds[] = { "0", "1" };
	struct mp_pids all = { NULL, 0, 0 };
	ino_t *pipes = NULL, ino;
	size_t n = 0, cap = 0, i;
	bool more = true;

	mp_pids_add(pids, getpid());
	for (i = 0; i < 2; i++) {
		ino = pipe_of(getpid(), fds[i]);
		if (!ino)
			continue;
		pipes = mp_grow(pipes, &cap, n + 1, sizeof(*pipes));
		pipes[n++] = ino;
	}
	mp_proc_processes(&all);
	while (more && n) {
		more = false;
		for (i = 0; i < all.n; i++) {
			if (mp_pids_has(pids, all.v[i]) || !joins(all.v[i], &pipes, &n, &cap))
				continue;
			mp_pids_add(pids, all.v[i]);
			more = true;
		}
	}
	free(pipes);
	mp_pids_release(&all);
}
