/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a perf.data file through perf script, which is run for it, with the fields that lose
 * nothing. perf then parses the file with the rights of the user, as if the user had run it.
 * Includes base only.
 */
#ifndef MP_IMPORT_PERFDATA_H
#define MP_IMPORT_PERFDATA_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_import_perfdata {
	pid_t pid; /* perf script */
	int fd;	   /* its output, for the caller to close */
};

/* Whether a file begins as perf.data does. */
bool mp_import_is_perfdata(const char *data, size_t len);

/*
 * Starts perf script. `fd` is the file, open. Returns NULL, or why the file cannot be read:
 * perf can open neither a pipe nor a compressed file, and may not be installed.
 */
const char *mp_import_perfdata_begin(struct mp_import_perfdata *p, int fd);

/* Waits for perf script to end, after its output has been read. Returns whether it succeeded. */
bool mp_import_perfdata_end(struct mp_import_perfdata *p);

#endif
