/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that processes share. Includes base only. */
#ifndef MP_CAPTURE_HOST_MEMFD_H
#define MP_CAPTURE_HOST_MEMFD_H

#include "lib/core/base.h"

/*
 * Makes a memfd that keeps its size; `more_seals` are added, such as F_SEAL_SEAL. It is closed on
 * execve. Ends the program on failure.
 */
int mp_memfd_new(const char *name, size_t size, int more_seals);

#endif
