/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order that people expect of names with numbers in them: cpu2 before cpu10. Includes str only.
 */
#ifndef MP_NATURAL_H
#define MP_NATURAL_H

#include "lib/str.h"

/*
 * Runs of digits compare as numbers of any length, other bytes as bytes. Texts that are the same so
 * far ("07", "7") compare as bytes, so that only equal texts give 0. A minus sign is a byte as any
 * other: this is for names, not for sums.
 */
int mp_natural_cmp(struct mp_str a, struct mp_str b);

#endif
