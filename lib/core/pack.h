/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses an output as gzip(1) (RFC 1952) or zstd(1) (RFC 8878) does, in a process of its own, which
 * reads a socket: the program writes on meanwhile, and if it is killed, what it has written is in the
 * file all the same. Includes io.
 */
#ifndef MP_CORE_PACK_H
#define MP_CORE_PACK_H

#include "lib/core/io.h"

enum mp_pack_method { MP_PACK_NONE, MP_PACK_GZIP, MP_PACK_ZSTD };

/* The names of the methods, ending with NULL, for mp_opt_word(). */
extern const char *const mp_pack_names[];

/* What the end of a file's name says: ".gz", ".zst" or something else. NULL: standard output. */
enum mp_pack_method mp_pack_of_path(const char *path);

/* How what is copied is divided among several files. */
struct mp_pack_files {
	/* how many of the bytes belong to the current file; 0: another one begins with them */
	size_t (*belong)(void *arg, const char *data, size_t len);
	/* opens the next file; returns its descriptor, or -1 with errno */
	int (*next)(void *arg);
	void *arg;
};

/*
 * Reads from `in` to its end, and writes that compressed to `out`, whose `soft` is set; with `files`,
 * from the first byte on to other files than the one of `out`. If `prompt`, what was read is written
 * in a complete block within half a second (without compression: at once), so that it can be read if
 * this process is killed; otherwise the output depends on nothing but the input. Data of zstd has no
 * checksum, which would take a third more time: the trailer of a stream counts its bytes. Needs 2 MiB
 * of memory. Returns 0, or the errno of what failed.
 */
int mp_pack_copy(enum mp_pack_method method, int in, struct mp_out *out, bool prompt,
		 const struct mp_pack_files *files);

/*
 * Makes what leads to such a process, as pipe(2) does: ends[0] is read, ends[1] is written. It is a
 * pair of sockets, since a pipe needs twice the time if its ends are used on two CPUs.
 */
int mp_pack_channel(int ends[2]);

/*
 * Compresses what is written to `out` from now on, in a process of its own, which exits with what
 * mp_pack_copy() returns; signals of the terminal do not reach it. With MP_PACK_NONE, does nothing. To
 * be called before there are threads, and before anything is written. Ends the program on failure, or
 * if the output is a terminal.
 */
void mp_pack_start(enum mp_pack_method method, struct mp_out *out, bool prompt);

#endif
