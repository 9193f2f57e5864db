/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that compresses the output of a recording, or divides it among files (rotation.h):
 * between the writer, whose output is a socket, and the files. mp-record starts itself once more, under
 * the name MP_PACKER_NAME; the process enters a sandbox with its descriptors and no others, since the
 * writer may have been taken over by what it reads. If mp-record is killed, it writes what is in the
 * socket, up to the end of the file, and ends. Includes pack.
 */
#ifndef MP_CAPTURE_SESSION_PACKER_H
#define MP_CAPTURE_SESSION_PACKER_H

#include "lib/core/pack.h"

#define MP_PACKER_NAME "mp-packer" /* argv[0] */

/*
 * Starts the process, out->packer, unless the method is MP_PACK_NONE and there is one file; `out`
 * becomes a socket. `files` is the one from mp_rotation_start(), which this closes, or -1: there is
 * one file, that of `out`. Ends the program on failure, or if the output is a terminal. Returns a
 * descriptor for mp_output_pack_missing(), or -1.
 */
int mp_output_pack(struct mp_out *out, enum mp_pack_method method, int files);

/*
 * Waits until the process is in its sandbox, and returns the missing parts (1 << MP_SANDBOX_UID and
 * so on); 0 if there is no process. Closes the descriptor.
 */
uint32_t mp_output_pack_missing(int report);

/* Runs the process. `argv` is as from mp_sandbox_start(). Returns its exit status, an errno. */
int mp_output_pack_main(char **argv);

#endif
