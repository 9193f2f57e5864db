/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of the system calls of the machine for which this program was built. Includes base
 * only.
 */
#ifndef MP_CORE_SYSCALLS_H
#define MP_CORE_SYSCALLS_H

#include "lib/core/base.h"

/*
 * The number of a system call. `name` is the one in tracefs's sys_enter_NAME, which is that of the
 * function in the kernel. Returns -1 for an unknown call, such as one that is newer than the
 * headers with which this program was built.
 */
int mp_syscall_number(const char *name);

/* The name of a system call by its number; NULL: it is not known. */
const char *mp_syscall_name(uint64_t number);

/* The machine that has these numbers, as uname -m prints it. */
const char *mp_syscall_machine(void);

#endif
