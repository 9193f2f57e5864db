/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mp-import: turns the text of other profilers into a stream. Includes formats, record.
 *
 * A format is one file, which defines what format.h describes, and one row in formats.h. The file
 * uses record.h, and where they help fields.h (tracepoints), frames.h (stacks) and text.h.
 */
#ifndef MP_IMPORT_IMPORT_H
#define MP_IMPORT_IMPORT_H

#include "lib/import/formats.h"
#include "lib/import/record.h"

/*
 * Reads an input ("-": stdin) to its end and writes its sections. `format` NULL: the first lines of
 * the text decide.
 */
void mp_import_file(struct mp_import *im, const char *path, const struct mp_import_format *format);

#endif
