/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code from just-in-time compilers that they log to a file jit-PID.dump: its names, its call frame
 * information, and when it was loaded or moved (kernel source,
 * tools/perf/Documentation/jitdump-specification.txt). The file grows while the process runs. It is
 * hostile input. Includes cfi, limit.
 */
#ifndef MP_CAPTURE_OBJECT_JITDUMP_H
#define MP_CAPTURE_OBJECT_JITDUMP_H

#include "lib/capture/object/cfi.h"
#include "lib/capture/object/limit.h"

struct mp_jitdump;

/* Whether the last part of a path is that of such a file, by which perf recognizes it as well. */
bool mp_jitdump_is_name(const char *name);

struct mp_jitdump *mp_jitdump_new(void);
void mp_jitdump_free(struct mp_jitdump *d);

/* Whether to read the file again: every 50 ms. */
bool mp_jitdump_is_due(const struct mp_jitdump *d, uint64_t now_ns);

/*
 * Reads the records that were added to the file, for up to 100 ms; none if `fd` is -1. Returns why
 * not all of them are kept, NULL: they are. A file of another kind or version, or for another
 * machine, has no records.
 */
const char *mp_jitdump_read(struct mp_jitdump *d, int fd, uint64_t now_ns);

/*
 * These functions are about the code that was there at a time (CLOCK_MONOTONIC, ns), which should
 * not go back. The name is valid until the next call, NULL: none is known. The row is that of
 * mp_cfi_find().
 */
const char *mp_jitdump_find(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns);
int mp_jitdump_row(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns, struct mp_cfi_row *row,
		   unsigned *steps);

/* How often code was replaced or moved up to a time: names found before that may be wrong. */
uint64_t mp_jitdump_changes(struct mp_jitdump *d, uint64_t time_ns);

/* Memory in use, in bytes. */
size_t mp_jitdump_bytes(const struct mp_jitdump *d);

#endif
