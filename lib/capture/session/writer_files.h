/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a recording (--rotate), each a stream of its own: when the next one begins, its header,
 * and the trailer of each, which accounts for this file alone. Includes account, cut_plan, format,
 * writer_counts, writer_output, writer_window.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_FILES_H
#define MP_CAPTURE_SESSION_WRITER_FILES_H

#include "lib/capture/format/format.h"
#include "lib/capture/session/account.h"

/* Of the files before the current one, together. Without pointers. */
struct mp_writer_earlier {
	uint64_t files;
	uint64_t until_ns; /* end of the last one */
	uint64_t bytes, pointers;
	struct mp_writer_totals all;
	struct mp_unwind_stats unwound;
};

struct mp_writer_files {
	/* set by the caller; borrowed */
	const struct mp_cut_plan *plan;
	const struct mp_formatter *formatter;
	const struct mp_writer_window *window;
	const struct mp_writer_counts *counts;
	struct mp_writer_output *output;
	const json_t *header; /* of the first file; NULL: it is not known yet */

	/* private */
	struct mp_writer_earlier earlier;
	struct mp_cpu_account *earlier_cpus; /* by ring */
	uint64_t earlier_truncated;	     /* those that this process has counted */
};

void mp_writer_files_init(struct mp_writer_files *f);
void mp_writer_files_release(struct mp_writer_files *f);

/* Whether the current file ends at the last watermark. */
bool mp_writer_files_is_full(const struct mp_writer_files *f);

/* Writes the trailer of the current file, and the header of the next one. */
void mp_writer_files_next(struct mp_writer_files *f);

/*
 * The trailer of the current file, which ends at `until_ns`; `a` is the account of all files. New
 * reference.
 */
json_t *mp_writer_files_trailer(const struct mp_writer_files *f, const struct mp_account *a,
				uint64_t until_ns);

#endif
