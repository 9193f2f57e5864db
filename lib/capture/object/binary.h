/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a program or library can be probed: functions by name, and its static probes (USDT: notes
 * of SystemTap's <sys/sdt.h>, https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation).
 * libelf. Files are hostile input. Includes arch, cut, str.
 */
#ifndef MP_CAPTURE_OBJECT_BINARY_H
#define MP_CAPTURE_OBJECT_BINARY_H

#include <sys/types.h>

#include "lib/capture/host/arch.h"
#include "lib/capture/host/cut.h"
#include "lib/core/str.h"

/*
 * The file that a name means: a path with a slash as it is; a number: the program of that process;
 * else a library of the system ("libc.so.6", "libc"), else a program in PATH. NULL with `*error`
 * (owned by the caller). Owned by the caller.
 */
char *mp_binary_path(const char *name, char **error);

/*
 * Functions of a file that match a glob, sorted by name, each place once; or, for "0xADDR" and
 * "NAME+0xOFF", that place. 0, or -1 with `*error`: cannot be read, no ELF file, no such function,
 * with the nearest name.
 */
int mp_binary_functions(struct mp_cut_places *places, const char *path, const char *what,
			char **error);

/*
 * Where a function is probed that begins at `offset`: there, or, if it begins with a test of a
 * register that the kernel would have to single-step, behind that: a virtual machine needs 18 us for
 * the step (docs/decisions.md). x86-64.
 */
uint64_t mp_binary_cheap_place(const char *path, uint64_t offset);

/* Static probes whose "NAME" or "PROVIDER:NAME" matches; one with several places comes several times. */
int mp_binary_markers(struct mp_cut_places *places, const char *path, const char *what,
		      char **error);

/*
 * Arguments of a USDT note ("8@%rdi -4@-20(%rbp)") for tracefs: " arg1=%di:u64 arg2=-20(%bp):s32",
 * appended to `to`. Those that the kernel cannot fetch (an index register, a symbol) are left out;
 * returns how many.
 */
size_t mp_usdt_args(struct mp_buf *to, const struct mp_arch *arch, const char *args);

#endif
