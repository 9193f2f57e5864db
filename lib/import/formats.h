/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the formats that mp-import reads. Includes format. */
#ifndef MP_IMPORT_FORMATS_H
#define MP_IMPORT_FORMATS_H

#include "lib/import/format.h"

/*
 * A row for each format: its file defines `const struct mp_import_format mp_import_NAME`. A line
 * counts for the first of the formats that it looks like.
 */
#ifdef MP_HAVE_PROTOBUF
#define MP_IMPORT_PROTOBUF(row) row(pprof)
#else
#define MP_IMPORT_PROTOBUF(row)
#endif
#define MP_IMPORT_FORMATS(row)                                                           \
	row(ftrace) row(perf) row(marple) row(stream) row(folded) row(bpftrace) row(bcc) \
		row(strace) row(perf_trace) row(speedscope) row(cpuprofile) row(chrome)  \
			row(blkparse) row(graph) row(austin) row(heap) MP_IMPORT_PROTOBUF(row)

#define MP_IMPORT_DECLARE(name) extern const struct mp_import_format mp_import_##name;
MP_IMPORT_FORMATS(MP_IMPORT_DECLARE)
#undef MP_IMPORT_DECLARE

#define MP_IMPORT_COUNT(name) +1
enum { MP_IMPORT_N_FORMATS = MP_IMPORT_FORMATS(MP_IMPORT_COUNT) };
#undef MP_IMPORT_COUNT

extern const struct mp_import_format *const mp_import_formats[MP_IMPORT_N_FORMATS];

/* The format of this name, or NULL. */
const struct mp_import_format *mp_import_format_find(const char *name);

/* The binary format that an input which begins with these bytes has, or NULL. */
const struct mp_import_format *mp_import_format_of(const char *data, size_t len);

/* Adds "ftrace, perf, marple, stream or folded" to a message. */
void mp_import_format_names(struct mp_buf *to);

#endif
