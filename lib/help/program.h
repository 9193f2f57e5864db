/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs programs of the mp tools, found beside this one, else on PATH. Includes str only. */
#ifndef MP_HELP_PROGRAM_H
#define MP_HELP_PROGRAM_H

#include "lib/core/str.h"

/*
 * Whether one of the folders, separated by colons as in PATH, has the program, as far as this user
 * may search them. `mode` is that of access(2).
 */
bool mp_help_has(const char *folders, const char *program, int mode);

/*
 * Becomes the program argv[0], such as "mp-fold". Returns only if that fails, with errno: ENOENT if
 * there is no such program.
 */
void mp_help_become(char **argv);

/*
 * Adds what the program writes to its standard output; its messages are discarded. Returns its exit
 * status, or -1 if it did not run or was killed.
 */
int mp_help_read(char **argv, struct mp_buf *to);

#endif
