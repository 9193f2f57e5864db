// SPDX-License-Identifier: GPL-2.0-only
/* Tests the numbers of system calls by the names that tracefs has for them. */
#include "lib/core/syscalls.h"

#include <asm/unistd.h>
#include <string.h>

#include "tests/unit/tap.h"

int main(void)
{
	ok(mp_syscall_number("read") == __NR_read && mp_syscall_number("futex") == __NR_futex,
	   "calls with the name of their function");
	ok(mp_syscall_number("newuname") == __NR_uname &&
		   mp_syscall_number("umount") == __NR_umount2,
	   "calls with another name");
	ok(mp_syscall_number("") == -1 && mp_syscall_number("rea") == -1 &&
		   mp_syscall_number("none_such") == -1,
	   "unknown ones");
	ok(strcmp(mp_syscall_name(__NR_read), "read") == 0 &&
		   strcmp(mp_syscall_name(__NR_umount2), "umount2") == 0,
	   "and back");
	ok(!mp_syscall_name(UINT64_MAX) && !mp_syscall_name(4095), "unknown numbers");
	return tap_done();
}
