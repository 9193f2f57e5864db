/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens and finishes the output of a recording, and makes the beginning of its header. Includes io,
 * ctl.
 */
#ifndef MP_CAPTURE_SESSION_OUTPUT_H
#define MP_CAPTURE_SESSION_OUTPUT_H

#include "lib/core/io.h"
#include "lib/stream/ctl.h"

/* The path of the folder that a file is in, or will be in. Owned by the caller. */
char *mp_output_folder(const char *path);

/* Opens `path` (NULL or "-": stdout), or ends the program. A failed write is kept in out->error. */
void mp_output_open(struct mp_out *out, const char *path);

/*
 * Whether the stream goes to our stdout, also with "-o /dev/stdout", and that is not a character
 * device such as a terminal: then nothing else may be written there.
 */
bool mp_output_takes_stdout(const struct mp_out *out);

/*
 * To be called last, after mp_out_close(): if the reader has closed the pipe, dies of SIGPIPE; if a
 * write failed otherwise, ends the program with a message.
 */
void mp_output_check(const struct mp_out *out);

/*
 * Makes the header of a stream of events that begins at these times of CLOCK_MONOTONIC and
 * CLOCK_REALTIME: clock, boot, host, kernel, CPUs, command. New reference.
 */
json_t *mp_output_header(char **argv, size_t n_cpus, uint64_t clock_ns, uint64_t real_ns);

/* Makes an array of strings from a list that ends with NULL. New reference. */
json_t *mp_output_names(char **names);

#endif
