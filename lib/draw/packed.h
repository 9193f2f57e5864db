/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data in a page as text, compressed, for the script of the page: zlib's format in base64, which
 * lib/draw/packed.js reads. The only file that uses zlib. Includes str.
 */
#ifndef MP_DRAW_PACKED_H
#define MP_DRAW_PACKED_H

#include "lib/core/str.h"

void mp_packed_put(struct mp_buf *to, struct mp_str data);

/* Puts it only if the text has at most `limit` bytes; returns whether it has. */
bool mp_packed_put_within(struct mp_buf *to, struct mp_str data, size_t limit);

#endif
