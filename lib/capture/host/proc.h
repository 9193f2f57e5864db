/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads, parents, names and mappings of tasks, from /proc. A task that has ended is not an error.
 * Includes str only.
 */
#ifndef MP_CAPTURE_HOST_PROC_H
#define MP_CAPTURE_HOST_PROC_H

#include <sys/types.h>

#include "lib/core/str.h"

struct mp_pids {
	pid_t *v;
	size_t n, cap;
};

void mp_pids_add(struct mp_pids *pids, pid_t pid);
void mp_pids_remove(struct mp_pids *pids, pid_t pid);
bool mp_pids_has(const struct mp_pids *pids, pid_t pid);
void mp_pids_release(struct mp_pids *pids);

/* Appends the numbers of a list, "12,34". Returns 0, or -1 if the text is not such a list. */
int mp_pids_parse(struct mp_pids *pids, const char *list);

/*
 * Append all processes, or all threads of one or several processes; a process that has ended has
 * none.
 */
void mp_proc_processes(struct mp_pids *pids);
void mp_proc_threads(pid_t pid, struct mp_pids *tids);
void mp_proc_threads_of(const struct mp_pids *pids, struct mp_pids *tids);

/* Appends the descendants of the processes in the list. */
void mp_proc_add_children(struct mp_pids *pids);

/* The real uid of a process, which no program changes without a privilege; -1: it has ended. */
uid_t mp_proc_uid(pid_t pid);

/* The state of a process, as in proc_pid_stat(5); 0: it has ended. */
char mp_proc_state(pid_t pid);

/* How many bytes a process has given to write(2), also if it has ended and was not waited for. */
bool mp_proc_written(pid_t pid, uint64_t *bytes);

/* The process of a thread; -1 if the thread has ended. */
pid_t mp_proc_process_of(pid_t tid);

/*
 * The name of a thread, not escaped; false if the thread has ended. A name has at most 15 bytes,
 * that of a kernel thread up to 63.
 */
bool mp_proc_comm(pid_t pid, pid_t tid, char comm[64], size_t *len);

/* The inode of the pid namespace of this process; 0: it is the initial namespace. */
uint32_t mp_proc_inner_namespace(void);

/*
 * The build id of the running kernel in hexadecimal digits, owned by the caller; NULL: it has none.
 */
char *mp_proc_kernel_id(void);

/* The ids of a task in its own pid namespace; -1: it has ended. */
void mp_proc_inner_ids(pid_t tid, pid_t *inner_pid, pid_t *inner_tid);

/*
 * How this process opens files of /proc: by itself, or, if it cannot open files, with a function
 * that returns a descriptor, or -1 with errno.
 */
typedef int mp_proc_open_fn(void *arg, const char *path);

void mp_proc_open_by(mp_proc_open_fn *open, void *arg);
int mp_proc_open(const char *path);

/* The executable mappings of a process, in order of address. */
struct mp_proc_map {
	uint64_t start, end, offset; /* offset in the file, in bytes */
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* valid during the call; "" for anonymous memory */
};

typedef void mp_proc_map_fn(void *arg, const struct mp_proc_map *map);

/* False: the text is longer than 4 MiB; only its first part was read. */
bool mp_proc_maps(pid_t pid, mp_proc_map_fn *each, void *arg);

/*
 * Appends the processes of our pipeline, including this one: those that read what we write, those
 * that read what these write, and so on, and those that write to our stdin. They are found by their
 * pipes.
 */
void mp_proc_pipeline(struct mp_pids *pids);

/*
 * Reads up to `size` - 1 bytes of a small file and adds a NUL; -1 with errno if it cannot be read.
 */
ssize_t mp_proc_read(const char *path, char *to, size_t size);

/* Reads the first line of a small file, as much of it as fits. Returns false if it has none. */
bool mp_proc_line(const char *path, char *to, size_t size);

#endif
