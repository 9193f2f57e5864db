/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sorted run of lines, in a temporary file once it is longer than a buffer (lib/core/spill.h).
 * Private format: time, source and length before each line, native endianness.
 * Includes str only.
 */
#ifndef MP_ORDER_RUN_H
#define MP_ORDER_RUN_H

#include "lib/core/str.h"

struct mp_run;

struct mp_run *mp_run_new(void);
void mp_run_free(struct mp_run *r);

/* mp_run_add() writes the run; after mp_run_rewind() it is read. */
void mp_run_add(struct mp_run *r, uint64_t time_ns, size_t source, struct mp_str line);
void mp_run_rewind(struct mp_run *r);

/* The current line, valid until mp_run_next(). Returns false at the end. */
bool mp_run_head(const struct mp_run *r, uint64_t *time_ns, size_t *source, struct mp_str *line);
void mp_run_next(struct mp_run *r);

uint64_t mp_run_bytes(const struct mp_run *r);

#endif
