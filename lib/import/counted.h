/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks with counts, as the programs that use bpf print them: frames over several lines, leaf
 * first, then a number. Includes frames.
 */
#ifndef MP_IMPORT_COUNTED_H
#define MP_IMPORT_COUNTED_H

#include "lib/import/frames.h"

/*
 * Adds a frame: "NAME", "NAME+OFFSET", with `address` "ADDR NAME+OFFSET", perhaps with "(FILE)"
 * after it. An address without a name becomes [unknown].
 */
void mp_import_counted_frame(struct mp_import_frames *f, struct mp_str text, bool address);

/* Marks the frames that were added so far as those of the kernel. */
void mp_import_counted_kernel(struct mp_import_frames *f);

/*
 * Begins a section of stacks, unless one with this name is open. `sum`: name of the aggregate, raw;
 * `weight`: the unit of the weights, raw, such as "us", or "count".
 */
void mp_import_counted_begin(struct mp_import *im, struct mp_str sum, struct mp_str weight);

/* Writes the frames as a stack, and empties them. */
void mp_import_counted_write(struct mp_import *im, struct mp_import_frames *f, int64_t weight);

#endif
