/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses an output as gzip(1) (RFC 1952) or zstd(1) (RFC 8878) does, in a process of its own, which
 * reads a pipe: the program writes on meanwhile, and if it is killed, what it has written is in the
 * file all the same. With unpack.c and lib/draw/packed.c, the only file that uses zlib or libzstd.
 * Includes base only.
 */
#ifndef MP_CORE_PACK_H
#define MP_CORE_PACK_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_out;

enum mp_pack_method { MP_PACK_NONE, MP_PACK_GZIP, MP_PACK_ZSTD };

/* The names of the methods, ending with NULL, for mp_opt_word(). */
extern const char *const mp_pack_names[];

/* What the end of a file's name says: ".gz", ".zst" or something else. NULL: standard output. */
enum mp_pack_method mp_pack_of_path(const char *path);

/*
 * Reads from `in` to its end, and writes that compressed to `out`, whose `soft` is set. After at most
 * half a second, what was read is in a complete block that is written, so that it can be read if this
 * process is killed. Needs 3 MiB of memory. Returns 0, or the errno of what failed.
 */
int mp_pack_copy(enum mp_pack_method method, int in, struct mp_out *out);

/*
 * Starts a process that compresses what is written to a pipe, and sets `*pipe` to the pipe's end for
 * that. The process writes to `fd`, ignores signals of the terminal, and exits with what
 * mp_pack_copy() returns. To be called before there are threads. Ends the program on failure.
 */
pid_t mp_pack_start(enum mp_pack_method method, int fd, const char *name, int *pipe);

/*
 * Waits for the process after the pipe was closed, or has failed. Returns 0, or the errno of what
 * failed there; if a signal has killed it, says so and returns EIO.
 */
int mp_pack_wait(pid_t pid);

#endif
