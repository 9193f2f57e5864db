/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the structs of both sides to bytes and back. One function for each struct lists its
 * members and serves both directions, so that what is written is what is read. Each number takes 8
 * bytes. A reader is bounded: it never reads beyond the bytes, and never allocates much more memory
 * than there are bytes. Includes str.
 */
#ifndef MP_CAPTURE_HOST_CUT_CODE_H
#define MP_CAPTURE_HOST_CUT_CODE_H

#include "lib/core/str.h"

struct mp_cut_code {
	struct mp_buf *to;  /* written to; NULL: reading */
	struct mp_str from; /* the bytes that were not read yet */
	bool failed;	    /* the bytes are damaged; what was read is to be released, not used */
};

/* A number of at most 64 bits, signed or not. */
void mp_cut_code_u64(struct mp_cut_code *c, uint64_t *v);

#define MP_CUT_NUMBER(c, member)                         \
	do {                                             \
		uint64_t v_ = (uint64_t)(member);        \
                                                         \
		mp_cut_code_u64(c, &v_);                 \
		(member) = (__typeof__(member))v_;       \
		(c)->failed |= (uint64_t)(member) != v_; \
	} while (0)

/* A text that may be NULL. */
void mp_cut_code_text(struct mp_cut_code *c, char **text);

/* An array of structs that have no padding and no pointers, as bytes. */
void mp_cut_code_bytes(struct mp_cut_code *c, void **v, size_t *n, size_t size);

/* The number of elements of a list. A reader allocates zeroed elements of `size` bytes. */
void mp_cut_code_list(struct mp_cut_code *c, void **v, size_t *n, size_t size);

#endif
