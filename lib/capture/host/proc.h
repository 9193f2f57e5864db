/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc says of tasks: threads, parents, names, mappings. A task that is gone is no error.
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

/* Appends "12,34". Returns 0, or -1 if the text is no list of numbers. */
int mp_pids_parse(struct mp_pids *pids, const char *list);

/* Appends all processes, or all threads of one (none if it is gone). */
void mp_proc_processes(struct mp_pids *pids);
void mp_proc_threads(pid_t pid, struct mp_pids *tids);
void mp_proc_threads_of(const struct mp_pids *pids, struct mp_pids *tids);

/* Appends the descendants of the processes in the list. */
void mp_proc_add_children(struct mp_pids *pids);

/* Process of a thread; -1 if it is gone. */
pid_t mp_proc_process_of(pid_t tid);

/*
 * Name of a thread, raw; false if it is gone. A name has at most 15 bytes, kernel threads' up to
 * 63.
 */
bool mp_proc_comm(pid_t pid, pid_t tid, char comm[64], size_t *len);

/* Pid of a process in its innermost pid namespace, where it names files like /tmp/perf-PID.map. */
pid_t mp_proc_inner_pid(pid_t pid);

/* The executable mappings of a process, in order of address. */
struct mp_proc_map {
	uint64_t start, end, offset; /* bytes */
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* valid during the call; "" for anonymous memory */
};

typedef void mp_proc_map_fn(void *arg, const struct mp_proc_map *map);

void mp_proc_maps(pid_t pid, mp_proc_map_fn *each, void *arg);

/*
 * The processes of our pipeline: those that read what we write, and what they write, and so on, and
 * those that hold the writing end of our stdin. Found by their pipes; ourselves included.
 */
void mp_proc_pipeline(struct mp_pids *pids);

/* Up to `size` - 1 bytes of a small file, NUL-terminated; -1 with errno if it cannot be read. */
ssize_t mp_proc_read(const char *path, char *to, size_t size);

/* The first line of a small file, as far as there is room. False if it has none. */
bool mp_proc_line(const char *path, char *to, size_t size);

#endif
