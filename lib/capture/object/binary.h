/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the places where a program or library can be probed: functions by name, and static probes
 * (USDT: notes of SystemTap's <sys/sdt.h>,
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). Files are hostile input.
 * Includes arch, cut, str.
 */
#ifndef MP_CAPTURE_OBJECT_BINARY_H
#define MP_CAPTURE_OBJECT_BINARY_H

#include <sys/types.h>

#include "lib/capture/host/arch.h"
#include "lib/capture/host/cut.h"
#include "lib/core/str.h"

/*
 * The path of a file by its name. A name with a slash is the path; a number is the pid of a process
 * that runs the program; any other name is that of a library ("libc.so.6", "libc") or else of a
 * program in PATH. Returns NULL with `*error` set on failure. The caller frees the path and the
 * error.
 */
char *mp_binary_path(const char *name, char **error);

/* Opens the file of a path. -1 with `*error`: it cannot be opened, or is not a regular file. */
int mp_binary_open(const char *path, char **error);

/* An open file; both members are borrowed. */
struct mp_binary {
	const char *path; /* for messages */
	int fd;
};

/*
 * Finds the functions of a file that match a glob, sorted by name, each place once; or the place
 * "0xADDR" or "NAME+0xOFF". Returns 0, or -1 with `*error`: the file cannot be read or is not an
 * ELF file, or there is no such function; for the latter the error suggests the most similar name.
 */
int mp_binary_functions(struct mp_cut_places *places, const struct mp_binary *file,
			const char *what, char **error);

/*
 * Where to probe a function that begins at `offset`: at its beginning, or after instructions that
 * the kernel would have to single-step, if the architecture knows these (mp_arch.cheap_place). In a
 * virtual machine a single step takes 18 us (docs/decisions.md).
 */
uint64_t mp_binary_cheap_place(int fd, uint64_t offset);

/*
 * Finds the static probes whose "NAME" or "PROVIDER:NAME" matches; a probe may have several places.
 */
int mp_binary_markers(struct mp_cut_places *places, const struct mp_binary *file, const char *what,
		      char **error);

/*
 * Appends the arguments of a USDT note ("8@%rdi -4@-20(%rbp)") in the notation of tracefs
 * (" arg1=%di:u64 arg2=-20(%bp):s32"). Skips those that the kernel cannot fetch (with an index
 * register, a symbol), and returns how many it has skipped.
 */
size_t mp_usdt_args(struct mp_buf *to, const struct mp_arch *arch, const char *args);

#endif
