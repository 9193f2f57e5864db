/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The enumerators of the kernel, by its own types (BTF): print formats name some of them without
 * their value. Includes base only.
 */
#ifndef MP_CAPTURE_EVENT_CONSTANT_H
#define MP_CAPTURE_EVENT_CONSTANT_H

#include "lib/core/base.h"

/* Finds the value of an enumerator, such as "I_DIRTY_SYNC"; false: the kernel has none. */
bool mp_constant_find(const char *name, uint64_t *value);

/* Frees what was read, some MiB; it is read again if necessary. */
void mp_constant_forget(void);

#endif
