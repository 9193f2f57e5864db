/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields in the text that the kernel prints for a tracepoint. Includes record. */
#ifndef MP_IMPORT_FIELDS_H
#define MP_IMPORT_FIELDS_H

#include "lib/import/record.h"

/*
 * Adds the text of a tracepoint as payload fields: "a=1 b=x y" as .a and .b, other text as .text.
 * Numbers in a sys_enter's "fd: 0x3, buf: 0x7f" count as fields too.
 */
void mp_import_payload(struct mp_import *im, struct mp_str type, struct mp_str text);

#endif
