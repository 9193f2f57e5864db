/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the files that other users control: mapped files, their debug files, perf maps. The file
 * side asks here for each descriptor, and never opens such a path itself.
 *
 * A name may lead to a FIFO, a device, a huge sparse file or a file of somebody else, and to another
 * file at the next look. So a file is found first (O_PATH), and opened only if it is a regular file
 * of a plausible size; a mapped file is known by device and inode, whatever its name; and what only a
 * name identifies is opened with the rights of the process that has it. Includes identity.
 */
#ifndef MP_CAPTURE_HOST_OPENER_H
#define MP_CAPTURE_HOST_OPENER_H

#include <stdint.h>

#include "lib/capture/host/identity.h"

struct mp_opener {
	struct mp_identity_own own;
};

/* A mapping of a file, as the kernel reports it. */
struct mp_open_mapping {
	pid_t pid; /* of a process that has it; 0: of none, the path is in our mount namespace */
	uint64_t start, end;
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* in the mount namespace of the process */
};

/* The places of a debug file, in the order in which they are tried. */
enum mp_open_debug {
	MP_OPEN_BY_BUILD_ID,	  /* /usr/lib/debug/.build-id/ in the root of the process */
	MP_OPEN_BY_BUILD_ID_HERE, /* ... and in ours */
	/* of a debug link: the folder of the mapped file, .debug/ in it, /usr/lib/debug/FOLDER/ */
	MP_OPEN_BESIDE,
	MP_OPEN_BELOW,
	MP_OPEN_GLOBAL,
	MP_OPEN_PLACES
};

/* For the thread that calls the functions below. Ends the program on failure. */
void mp_opener_init(struct mp_opener *o);

/*
 * These functions return a descriptor of a regular file, or -1 with errno. mp_open_code() opens the
 * mapped file itself: a program or a library (ELF).
 */
int mp_open_code(struct mp_opener *o, const struct mp_open_mapping *m);

/*
 * Opens the file in which the debug file of a mapped file may be: an ELF file. `name` is the build
 * id in hexadecimal digits, or the name in the debug link. Whether the two belong together the
 * caller finds out by build id or checksum.
 */
int mp_open_debug(struct mp_opener *o, const struct mp_open_mapping *m, enum mp_open_debug place,
		  const char *name);

/*
 * Opens the file with the names of a just-in-time compiler, /tmp/perf-PID.map, of the process or,
 * after its end, of that pid.
 */
int mp_open_perfmap(struct mp_opener *o, pid_t pid);

/* Opens a file that the user of mp-record named; it is not a device, nor a FIFO. */
int mp_open_named(const char *path);

#endif
