/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts of system calls that were not in memory at the entry to the call. bpf/calls.bpf.c reads them
 * again at the return, and sends a second record. The writer notes it before the turn of the first
 * record comes, and writes its texts there. Includes str.
 */
#ifndef MP_CAPTURE_FORMAT_LATE_TEXTS_H
#define MP_CAPTURE_FORMAT_LATE_TEXTS_H

#include "lib/core/str.h"

struct mp_late_text;

/* Zeroed memory is valid and empty. Later records replace earlier ones, so that memory is bounded. */
struct mp_late_texts {
	struct mp_late_text *v;
};

void mp_late_texts_release(struct mp_late_texts *l);

/* Whether the raw data of a sample are those of such a second record. */
bool mp_late_texts_is(struct mp_str raw);

/* Keeps a copy of a second record; ignores all others. */
void mp_late_texts_note(struct mp_late_texts *l, int32_t tid, struct mp_str raw);

/* The raw data of a first record, or of its second record if that was noted. */
struct mp_str mp_late_texts_of(const struct mp_late_texts *l, int32_t tid, struct mp_str raw);

#endif
