/* SPDX-License-Identifier: GPL-2.0-only */
/* The descriptors of a new process: those that it is given, and no others. Includes libc only. */
#ifndef MP_CAPTURE_HOST_DESCRIPTORS_H
#define MP_CAPTURE_HOST_DESCRIPTORS_H

#include <stdbool.h>

enum { MP_DESCRIPTORS = 64 };

/*
 * Gives this process `fds` (at most MP_DESCRIPTORS) as 0, 1, 2, ..., and closes all others. Makes
 * system calls only, so that it can be called after fork or clone while other threads may hold
 * locks. False, with errno: one of them is not open, or there are too many.
 */
bool mp_descriptors_place(const int *fds, unsigned n);

#endif
