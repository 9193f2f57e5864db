/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information in the form that a BPF program can search: x86-64, the CFA by stack or frame
 * pointer, the frame pointer restored and nothing else, which is enough for nearly all code.
 * Includes cfi.
 */
#ifndef MP_CAPTURE_OBJECT_WALK_ROWS_H
#define MP_CAPTURE_OBJECT_WALK_ROWS_H

#include "bpf/unwind.h"
#include "lib/capture/object/cfi.h"

/* The rows of a file, ascending, equal neighbours as one; `*n`: how many. Freed by the caller. */
struct mp_bpf_row *mp_cfi_walk_rows(const struct mp_cfi *c, size_t *n);

#endif
