/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with code, each known once: found while the process lives, their symbols read when first
 * asked. Includes elfcfi, elfsym, proc.
 */
#ifndef MP_CAPTURE_STACK_DSO_H
#define MP_CAPTURE_STACK_DSO_H

#include "lib/capture/object/elfcfi.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/host/proc.h"

struct mp_dso {
	uint32_t number;     /* from 1; the other side of cut.h knows it by this */
	char *path;	     /* as the process sees it */
	char *name;	     /* what stands in [brackets]: the last part of the path */
	char *root;	     /* "/proc/PID/root" of a process that had it, or "" */
	uint64_t inode;	     /* 0: not known */
	uint64_t start, end; /* of the mapping by which it was found */
	pid_t pid;
	int fd; /* held open until the symbols are read; -1 */
	bool loaded;
	struct mp_elfsym *symbols; /* NULL: none, or not loaded yet */

	/* call frame information; loaded and given up again with the symbols staying */
	bool cfi_loaded;
	struct mp_segments segments;
	struct mp_cfi *cfi; /* NULL: none, or not loaded */
	uint64_t cfi_id;    /* of this loading: never used again */
	uint64_t cfi_used;  /* when it was last used, as mp_dsos.cfi_clock */
};

struct mp_dsos {
	struct mp_map map;    /* inode and path -> struct mp_dso * */
	struct mp_dso **held; /* those with an open fd, oldest first */
	size_t n_held, cap_held;
	struct mp_dso *vdso;
	struct mp_dso **all; /* by number */
	size_t n_all, cap_all;

	struct mp_dso **with_cfi; /* those that have it loaded */
	size_t n_with_cfi, cap_with_cfi;
	size_t cfi_bytes, cfi_max_bytes;
	uint64_t cfi_clock, cfi_loads;
};

void mp_dsos_init(struct mp_dsos *d);
void mp_dsos_release(struct mp_dsos *d);

/*
 * The file of a mapping of a process; NULL for memory without a file. Opens it at once, since the
 * process may be gone, or the file deleted, when its symbols are wanted.
 */
struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map, pid_t pid);

struct mp_dso *mp_dsos_numbered(const struct mp_dsos *d, uint32_t number);

/* Its symbols, read if need be; NULL if it has none. */
struct mp_elfsym *mp_dso_symbols(struct mp_dso *dso);

/*
 * Its call frame information, read if need be; NULL if it has none. Of all files together at most
 * cfi_max_bytes are kept: then the ones used longest ago are given up.
 */
struct mp_cfi *mp_dso_load_cfi(struct mp_dsos *d, struct mp_dso *dso);

static inline struct mp_cfi *mp_dso_cfi(struct mp_dsos *d, struct mp_dso *dso)
{
	dso->cfi_used = ++d->cfi_clock;
	return dso->cfi_loaded ? dso->cfi : mp_dso_load_cfi(d, dso);
}

#endif
