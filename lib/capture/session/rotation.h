/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a recording that is written to one file after the other (--rotate): their names, and
 * which of them are kept. A thread opens them for the process that writes them (packer.h), which
 * cannot open anything itself. Includes base.
 */
#ifndef MP_CAPTURE_SESSION_ROTATION_H
#define MP_CAPTURE_SESSION_ROTATION_H

#include "lib/core/base.h"

struct mp_rotation;

/*
 * For "NAME.mp", "NAME.mp.zst" and so on, the files are called "NAME-20261123T182056.123Z.mp", by the
 * time at which each begins; their names are in the order of the files even if the clock is set back.
 * If `max` is not 0, at most so many files of that name remain, counting those of earlier recordings:
 * before a file begins, the oldest are deleted. Only regular files of the user of mp-record with exactly
 * such a name are. Ends the program if the folder cannot be written.
 *
 * Starts the thread, which answers on `*socket`, the other process's descriptor; `*tid` gets its thread
 * id.
 */
struct mp_rotation *mp_rotation_start(const char *path, size_t max, int *socket, int *tid);

/* How many files have begun so far; 0: `r` is NULL. */
uint64_t mp_rotation_files(const struct mp_rotation *r);

/* To be called after the other process has ended. NULL is fine. */
void mp_rotation_end(struct mp_rotation *r);

#endif
