/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw text as a value of JSON, and as a cell of TAB-separated values that spreadsheets and databases
 * read. Names come from the traced machine and are hostile: whatever their bytes, the result is
 * UTF-8, and one value. Includes str only.
 */
#ifndef MP_STREAM_CELL_H
#define MP_STREAM_CELL_H

#include "lib/core/str.h"

/*
 * Adds a JSON string with its quotes. NUL, which many JSON parsers refuse, and bytes that are not
 * UTF-8 become U+FFFD.
 */
void mp_cell_json(struct mp_buf *to, struct mp_str raw);

/*
 * Adds a cell. If it is empty or has a quote, a TAB, an LF or a CR, it is put in quotes, and quotes
 * in it are doubled, as RFC 4180 does. Other control characters, and bytes that are not UTF-8,
 * become U+FFFD.
 */
void mp_cell_tsv(struct mp_buf *to, struct mp_str raw);

/* Whether JSON has the text as a number; it has no exponent, and at most 40 bytes. */
bool mp_cell_is_number(struct mp_str s);

#endif
