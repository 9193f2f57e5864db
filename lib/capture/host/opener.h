/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the files that other users control: mapped files, their debug files, perf maps. The file
 * side requests each descriptor here, and never opens such a path itself.
 *
 * A name may lead to a FIFO, a device, a huge sparse file or a file of another user, and to a
 * different file when it is used again. So the file of a name is first found (O_PATH), and is
 * opened only if it is a regular file of a plausible size; a mapped file is identified by device
 * and inode, whatever its name; and a file that only its name identifies is opened with the rights
 * of the process that uses it (open_direct.c).
 *
 * Some file systems (FUSE, NFS, autofs) can block for ever. So a separate process opens the files
 * (open_helper.c), and is killed and replaced if a request takes too long. Includes budget,
 * open_helper.
 */
#ifndef MP_CAPTURE_HOST_OPENER_H
#define MP_CAPTURE_HOST_OPENER_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/open_helper.h"

struct mp_opener {
	struct mp_identity_own own;    /* without a helper */
	struct mp_open_helper *helper; /* NULL: this process opens the files itself */
	struct mp_budget *budget;      /* counts refusals; NULL: nobody counts them */
	uint32_t number;	       /* of the latest request */
	int deadline_ms;
	unsigned in_time; /* answers since the deadline was changed */
};

/* For the thread that calls the functions below. Ends the program on failure. */
void mp_opener_init(struct mp_opener *o);

/* Lets a helper open the files, and reports refusals. Both are borrowed, and may be NULL. */
void mp_opener_use(struct mp_opener *o, struct mp_open_helper *helper, struct mp_budget *budget);

/*
 * These functions return a descriptor of a regular file, or -1 with errno (ETIMEDOUT: it took too
 * long). mp_open_code() opens the mapped file itself: a program or a library (ELF), or the log of a
 * just-in-time compiler.
 */
int mp_open_code(struct mp_opener *o, const struct mp_open_mapping *m);

/*
 * Opens the file in which the debug file of a mapped file may be: an ELF file. `name` is the build
 * id in hexadecimal digits, or the name in the debug link. The caller checks by build id or
 * checksum whether the two files belong together.
 */
int mp_open_debug(struct mp_opener *o, const struct mp_open_mapping *m, enum mp_open_debug place,
		  const char *name);

/*
 * Opens the file with the names of a just-in-time compiler, /tmp/perf-PID.map, of the process or,
 * after its end, of that pid.
 */
int mp_open_perfmap(struct mp_opener *o, pid_t pid);

/* Opens a file of /proc: see mp_open_direct_proc(). An mp_proc_open_fn; `opener` has a helper. */
int mp_open_proc(void *opener, const char *path);

/* Opens a regular file that the user of mp-record named. */
int mp_open_named(const char *path);

#endif
