/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with code, each in the table once, and the logs of just-in-time compilers. They are opened
 * while the process lives; their symbols are read when they are first needed. Includes budget,
 * elfcfi, elfsym, jitdump, opener, proc, work.
 */
#ifndef MP_CAPTURE_STACK_DSO_H
#define MP_CAPTURE_STACK_DSO_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/opener.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/host/work.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/object/jitdump.h"

struct mp_dso {
	uint32_t refs;	 /* mappings */
	uint32_t number; /* from 1; identifies the file for the kernel side, see cut.h */
	uint64_t hash;
	char *path;	 /* in the mount namespace of the process */
	char *module;	 /* name and id in the places of frames; NULL: not used yet */
	uint64_t stream; /* the last one that has the line of the module: mp_symbols.stream */
	char *name;	 /* last part of the path, for "[name]+0x..." */
	/* of the process that mapped it first, which is charged for it while its share lasts */
	uid_t uid;
	uid_t others[4]; /* users who map it as well, who are charged for it then */
	uint8_t n_others;
	char comm[16];			/* its name, truncated, for the report */
	struct mp_open_mapping mapping; /* the first one that was seen; borrows the path */
	int fd;				/* open until the symbols are read; -1: closed */
	uint64_t used;			/* value of mp_dsos.clock at its last use */
	size_t charged;			/* bytes of memory for the entry and for what was read */
	bool of_root;			/* root owns the file, as far as is known */
	bool refused;			/* at some time, its user had no time left to read it */
	const char *limited; /* what of the file was too large to be read; NULL: nothing */

	/* what was read may be freed, and is read again when it is needed */
	bool loaded;
	struct mp_elfsym *symbols; /* NULL: it has none, or they are not loaded */
	bool cfi_loaded;
	struct mp_segments segments; /* remain when the call frame information is freed */
	struct mp_cfi *cfi;	     /* NULL: it has none, or it is not loaded */
	uint64_t cfi_id;	    /* identifies the loaded information; changes at each loading */
	uint64_t rows;		    /* charged for its rows for the kernel side */
	bool is_jitdump;	    /* by its name; then it is not read as an ELF file */
	struct mp_jitdump *jitdump; /* NULL: it is not loaded */
	size_t jitdump_bytes;	    /* charged for it */
};

struct mp_dsos {
	struct mp_opener *opener; /* borrowed */
	struct mp_budget *budget; /* set by the caller; NULL: no limits */
	struct mp_work *work;	  /* set by the caller, or NULL */
	/*
	 * set by the caller, or NULL: reports a number that no longer has a file and will be reused
	 */
	void (*gone)(void *arg, uint32_t number);
	void *gone_arg;
	struct mp_intmap by_hash; /* hash of device, inode and path -> struct mp_dso */
	struct mp_dso **held;	  /* files with an open fd, oldest first */
	size_t n_held, cap_held;
	struct mp_dso *vdso;
	struct mp_dso *other; /* stands for files that do not fit into the share of their user */
	struct mp_dso **all;  /* indexed by number, less 1; NULL: the number is free */
	size_t n_all, cap_all;
	uint32_t *free_numbers;
	size_t n_free, cap_free;
	uint64_t stuck_ns; /* when there was nothing to evict */
	uint64_t clock, cfi_loads;
	size_t cfi_bytes;
};

void mp_dsos_init(struct mp_dsos *d, struct mp_opener *opener);
void mp_dsos_release(struct mp_dsos *d);

/* The file of a mapping if the table has it; `*known` is false if it does not. */
struct mp_dso *mp_dsos_find(struct mp_dsos *d, const struct mp_proc_map *map, bool *known);

/*
 * The file of a mapping of a process; NULL for memory without a file. Opens it immediately: when
 * its symbols are needed, the process may have ended, or the file may be deleted. A file without
 * mappings is forgotten when the memory is needed for others of the same user.
 */
struct mp_dso *mp_dsos_get(struct mp_dsos *d, const struct mp_proc_map *map,
			   const struct mp_budget_who *who);

/*
 * To be called when a process of another user maps a file: if the share of the first one is used up,
 * the file is charged to another, so that nobody makes a file unreadable for others. What root uses
 * is charged to root. `dso` may be NULL.
 */
void mp_dso_share(struct mp_dsos *d, struct mp_dso *dso, uid_t uid);

/* NULL: no file has this number. */
struct mp_dso *mp_dsos_numbered(const struct mp_dsos *d, uint32_t number);

/* Publish that the writer works on what a file contains, and that it no longer does (work.h). */
void mp_dso_begin(struct mp_dsos *d, const struct mp_dso *dso);
void mp_dso_end(struct mp_dsos *d);

/* The symbols of a file, which this reads if necessary; NULL if there are none. */
struct mp_elfsym *mp_dso_symbols(struct mp_dsos *d, struct mp_dso *dso);

/*
 * The call frame information of a file, which this reads if necessary; NULL if there is none. What
 * was read of files is charged to the user who mapped them first. When the share is used up, that
 * user's least recently used information is freed.
 */
struct mp_cfi *mp_dso_load_cfi(struct mp_dsos *d, struct mp_dso *dso);

static inline struct mp_cfi *mp_dso_cfi(struct mp_dsos *d, struct mp_dso *dso)
{
	dso->used = ++d->clock;
	return dso->cfi_loaded ? dso->cfi : mp_dso_load_cfi(d, dso);
}

/*
 * The log of a just-in-time compiler, of which this reads what was added; NULL: `dso` is NULL, or
 * there is none.
 */
struct mp_jitdump *mp_dso_jitdump(struct mp_dsos *d, struct mp_dso *dso, uint64_t now_ns);

/*
 * The rows of a file for the BPF walk, to be freed; NULL and 0 if there are none, or if they exceed
 * the share of the user: then stacks with functions of this file are copied.
 */
struct mp_bpf_row *mp_dso_walk_rows(struct mp_dsos *d, struct mp_dso *dso, size_t *n);

#endif
