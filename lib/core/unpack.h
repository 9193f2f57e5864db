/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads data that gzip(1) (RFC 1952) or zstd(1) (RFC 8878) may have compressed, which its first
 * bytes show, and decompresses it. Compressed files one after the other are read as one. Needs 100 KiB
 * of memory, and for zstd the window that the data asks for, at most 128 MiB. Includes base only.
 */
#ifndef MP_CORE_UNPACK_H
#define MP_CORE_UNPACK_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_unpack;

enum { MP_UNPACK_MAGIC = 4 }; /* the bytes by which compressed data is recognized */

/* Reads as read(2) does, but does not return if that fails. */
typedef size_t mp_unpack_read_fn(void *arg, char *to, size_t len);

/* Whether data begins as compressed data does; of fewer than MP_UNPACK_MAGIC bytes, whether it may. */
bool mp_unpack_is_packed(const char *data, size_t len);

/*
 * Reads the first bytes of an input. If they are compressed data, returns what decompresses it, owned
 * by the caller. Else returns NULL, and `*n` bytes have been read to `to`, which has room for `len`.
 */
struct mp_unpack *mp_unpack_begin(mp_unpack_read_fn *read, void *arg, char *to, size_t len,
				  size_t *n);

/* Decompresses at least one byte to `to`. Returns how many; 0 at the end. */
size_t mp_unpack_read(struct mp_unpack *u, mp_unpack_read_fn *read, void *arg, char *to,
		      size_t len);

/* Whether mp_unpack_read() may have more without reading. */
bool mp_unpack_pending(const struct mp_unpack *u);

/* What was wrong with the data, such as "gzip data is truncated"; NULL: nothing so far. */
const char *mp_unpack_fault(const struct mp_unpack *u);

void mp_unpack_free(struct mp_unpack *u);

#endif
