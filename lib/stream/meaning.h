/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that the number in a field of a tracepoint has by its meaning, which the print format of the
 * kernel does not say: system calls, signals, errors. Includes str only.
 */
#ifndef MP_STREAM_MEANING_H
#define MP_STREAM_MEANING_H

#include "lib/core/str.h"

enum mp_meaning {
	MP_MEANING_NONE,
	MP_MEANING_SYSCALL, /* "openat" */
	MP_MEANING_SIGNAL,  /* "SIGUSR1" */
	MP_MEANING_ERROR,   /* "ENOENT" of -2; results that are not errors have no name */
};

/* Errors are the results from -4095 on. */
enum { MP_MEANING_ERRORS = 4096 };

/* The meaning of the number in a field, without its dot, of a type "raw_syscalls:sys_enter". */
enum mp_meaning mp_meaning_of(struct mp_str type, struct mp_str field);

/* Adds the name of a number. Returns false, and adds nothing, if it has none. */
bool mp_meaning_add(struct mp_buf *to, enum mp_meaning meaning, uint64_t number);

#endif
