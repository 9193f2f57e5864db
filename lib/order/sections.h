/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where the event sections of a regular file begin. Includes base only. */
#ifndef MP_ORDER_SECTIONS_H
#define MP_ORDER_SECTIONS_H

#include <sys/types.h>

#include "lib/core/base.h"

/*
 * Offsets of the sections of fd between `start` and `end`, ascending, the first one `start`; *n is
 * at least 1. Trailers say how long their sections are, so a file of complete sections is read
 * backwards, from trailer to trailer; any other file is searched for headers. Freed by the caller.
 * A read error ends the program.
 */
off_t *mp_sections_find(int fd, const char *name, off_t start, off_t end, size_t *n);

/* pread(2), up to `len` bytes; less only at the end of the file. */
size_t mp_sections_read_at(int fd, char *to, size_t len, off_t offset, const char *name);

#endif
