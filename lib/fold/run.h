/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines with weights that are written once and then read once, in order, in memory or in a
 * temporary file. A line is kept as the part in which it differs from the line before it, so sorted
 * lines take little room. Includes spill, str.
 */
#ifndef MP_FOLD_RUN_H
#define MP_FOLD_RUN_H

#include "lib/core/spill.h"

struct mp_fold_run {
	struct mp_fold_chunk *first, *last;
	struct mp_spill file;
	bool filed;   /* the lines are in the file, and one chunk of them in memory */
	size_t bytes; /* memory in use; less as the run is read */
	/* when reading: the current line, its weight, and the rest of its chunk */
	struct mp_buf line;
	size_t kept; /* so many bytes of it are those of the line before it */
	int64_t weight;
	const char *at, *end;
};

struct mp_fold_run *mp_fold_run_new(bool filed);
void mp_fold_run_free(struct mp_fold_run *r);

/* Adds a line, whose first `kept` bytes are those of the line before it. */
void mp_fold_run_add(struct mp_fold_run *r, struct mp_str line, size_t kept, int64_t weight);

/* Ends the writing; then mp_fold_run_next() reads a line. Returns false at the end. */
void mp_fold_run_rewind(struct mp_fold_run *r);
bool mp_fold_run_next(struct mp_fold_run *r);

#endif
