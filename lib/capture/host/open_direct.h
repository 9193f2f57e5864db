/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules for opening files of other users, for the process that opens them. opener.h has the
 * functions for all other callers. Includes identity.
 */
#ifndef MP_CAPTURE_HOST_OPEN_DIRECT_H
#define MP_CAPTURE_HOST_OPEN_DIRECT_H

#include <stdint.h>

#include "lib/capture/host/identity.h"

/* A mapping of a file, as the kernel reports it. */
struct mp_open_mapping {
	pid_t pid; /* a process with this mapping; 0: none, the path is in our mount namespace */
	uint64_t start, end;
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* in the mount namespace of the process */
};

/* The places of a debug file, in the order in which they are tried. */
enum mp_open_debug {
	MP_OPEN_BY_BUILD_ID,	  /* /usr/lib/debug/.build-id/ in the root of the process */
	MP_OPEN_BY_BUILD_ID_HERE, /* the same in our root */
	/* of a debug link: the folder of the mapped file, .debug/ in it, /usr/lib/debug/FOLDER/ */
	MP_OPEN_BESIDE,
	MP_OPEN_BELOW,
	MP_OPEN_GLOBAL,
	MP_OPEN_PLACES
};

/* As mp_open_code() and so on. `own` is the identity of the calling thread. */
int mp_open_direct_code(const struct mp_open_mapping *m);
int mp_open_direct_debug(const struct mp_identity_own *own, const struct mp_open_mapping *m,
			 enum mp_open_debug place, const char *name);
int mp_open_direct_perfmap(const struct mp_identity_own *own, pid_t pid);
int mp_open_direct_named(const char *path);

/*
 * Opens a file of /proc that the file side reads: names, ids, mappings, lists of processes and
 * threads, kernel symbols.
 */
int mp_open_direct_proc(const char *path);

#endif
