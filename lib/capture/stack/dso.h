/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with code, each in the table once. They are opened while the process lives; their symbols
 * are read when they are first needed. Includes budget, elfcfi, elfsym,
 * opener, proc.
 */
#ifndef MP_CAPTURE_STACK_DSO_H
#define MP_CAPTURE_STACK_DSO_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/opener.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/object/elfsym.h"

struct mp_dso {
	uint32_t refs;	 /* mappings */
	uint32_t number; /* from 1; identifies the file for the kernel side, see cut.h */
	char *path;	 /* in the mount namespace of the process */
	char *name;	 /* last part of the path, for "[name]+0x..." */
	uid_t uid;	 /* of the process that mapped it first, which is charged for it */
	struct mp_open_mapping mapping; /* the first one that was seen; borrows the path */
	int fd;				/* open until the symbols are read; -1: closed */
	const char *limited; /* what of the file was too large to be read; NULL: nothing */
	bool loaded;
	struct mp_elfsym *symbols; /* NULL: it has none, or they are not loaded yet */

	/* call frame information, which may be freed and loaded again while the symbols remain */
	bool cfi_loaded;
	struct mp_segments segments;
	struct mp_cfi *cfi; /* NULL: it has none, or it is not loaded */
	uint64_t cfi_id;    /* identifies the loaded information; changes at each loading */
	uint64_t cfi_used;  /* value of mp_dsos.cfi_clock at its last use */
};

struct mp_dsos {
	struct mp_opener *opener; /* borrowed */
	struct mp_budget *budget; /* set by the caller; NULL: no limits */
	struct mp_map map;	  /* device, inode and path -> struct mp_dso * */
	struct mp_dso **held;	  /* files with an open fd, oldest first */
	size_t n_held, cap_held;
	struct mp_dso *vdso;
	struct mp_dso **all; /* indexed by number */
	size_t n_all, cap_all;

	struct mp_dso **with_cfi; /* files whose call frame information is loaded */
	size_t n_with_cfi, cap_with_cfi;
	size_t cfi_bytes, cfi_max_bytes;
	uint64_t cfi_clock, cfi_loads;
};

void mp_dsos_init(struct mp_dsos *d, struct mp_opener *opener);
void mp_dsos_release(struct mp_dsos *d);

/*
 * The file of a mapping of a process; NULL for memory without a file. Opens it immediately: when
 * its symbols are needed, the process may have ended, or the file may be deleted.
 */
struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map, pid_t pid);

struct mp_dso *mp_dsos_numbered(const struct mp_dsos *d, uint32_t number);

/* Keeps the first thing of a file that was above a limit, and charges its user with a refusal. */
void mp_dso_note_limit(struct mp_dsos *d, struct mp_dso *dso, const struct mp_limit *limit);

/* The symbols of a file, which this reads if necessary; NULL if there are none. */
struct mp_elfsym *mp_dso_symbols(struct mp_dsos *d, struct mp_dso *dso);

/*
 * The call frame information of a file, which this reads if necessary; NULL if there is none. All
 * call frame information takes at most cfi_max_bytes; beyond that, the least recently used is
 * freed.
 */
struct mp_cfi *mp_dso_load_cfi(struct mp_dsos *d, struct mp_dso *dso);

static inline struct mp_cfi *mp_dso_cfi(struct mp_dsos *d, struct mp_dso *dso)
{
	dso->cfi_used = ++d->cfi_clock;
	return dso->cfi_loaded ? dso->cfi : mp_dso_load_cfi(d, dso);
}

#endif
