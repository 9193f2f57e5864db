/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Natural order of names: numbers in them count as numbers, so that "cpu2" comes before "cpu10",
 * and -1 before 0. Includes str only.
 */
#ifndef MP_CORE_NATURAL_H
#define MP_CORE_NATURAL_H

#include "lib/core/str.h"

/*
 * Compares like memcmp(): below 0, 0 or above 0. A run of digits compares by its value, of any
 * length; names that differ only in leading zeros compare by bytes, so that the order is total: 0
 * only for equal bytes. A '-' in front of a name that is a number is its sign.
 */
int mp_natural_cmp(struct mp_str a, struct mp_str b);

/* Sorts slices in place. */
void mp_natural_sort(struct mp_str *names, size_t n);

#endif
