/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts call frame information to rows that a BPF program can search: they find the CFA by the
 * stack or the frame pointer, and restore the frame pointer and nothing else, which is enough for
 * nearly all code. Only architectures with mp_arch.bpf have rows. Includes cfi.
 */
#ifndef MP_CAPTURE_OBJECT_WALK_ROWS_H
#define MP_CAPTURE_OBJECT_WALK_ROWS_H

#include "bpf/unwind.h"
#include "lib/capture/object/cfi.h"

/*
 * The rows of a file, in ascending order of address; equal neighbours are merged. `*n`: how many
 * there are. The caller frees them. Those above the limit are missing.
 */
struct mp_bpf_row *mp_cfi_walk_rows(const struct mp_cfi *c, size_t *n, struct mp_limit *limit);

/*
 * The room that the rows of a file take in the tables, in rows: the tables have a page for each
 * MP_BPF_ROWS_A_PAGE rows, and few rows may need many pages.
 */
uint64_t mp_cfi_walk_rows_room(const struct mp_bpf_row *rows, size_t n);

#endif
