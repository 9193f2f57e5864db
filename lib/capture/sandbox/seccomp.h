/* SPDX-License-Identifier: GPL-2.0-only */
/* The system calls of a sandboxed process. Includes libc only. */
#ifndef MP_CAPTURE_SANDBOX_SECCOMP_H
#define MP_CAPTURE_SANDBOX_SECCOMP_H

/*
 * Permits these system calls only: from then on, any other kills the process. Returns 0, or -1: the
 * kernel has no such filter.
 */
int mp_sandbox_filter(void);

#endif
