/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with code, each known once: found while the process lives, their symbols read when first
 * asked. Includes elfsym, proc.
 */
#ifndef MP_CAPTURE_DSO_H
#define MP_CAPTURE_DSO_H

#include "lib/capture/elfsym.h"
#include "lib/capture/proc.h"

struct mp_dso {
	char *path;	     /* as the process sees it */
	char *name;	     /* what stands in [brackets]: the last part of the path */
	char *root;	     /* "/proc/PID/root" of a process that had it, or "" */
	uint64_t inode;	     /* 0: not known */
	uint64_t start, end; /* of the mapping by which it was found */
	pid_t pid;
	int fd; /* held open until the symbols are read; -1 */
	bool loaded;
	struct mp_elfsym *symbols; /* NULL: none, or not loaded yet */
};

struct mp_dsos {
	struct mp_map map;    /* inode and path -> struct mp_dso * */
	struct mp_dso **held; /* those with an open fd, oldest first */
	size_t n_held, cap_held;
	struct mp_dso *vdso;
};

void mp_dsos_init(struct mp_dsos *d);
void mp_dsos_release(struct mp_dsos *d);

/*
 * The file of a mapping of a process; NULL for memory without a file. Opens it at once, since the
 * process may be gone, or the file deleted, when its symbols are wanted.
 */
struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map, pid_t pid);

/* Its symbols, read if need be; NULL if it has none. */
struct mp_elfsym *mp_dso_symbols(struct mp_dso *dso);

#endif
