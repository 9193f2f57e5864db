// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/syscalls.h"

#include <asm/unistd.h>
#include <string.h>

static const struct {
	const char *name;
	int number;
} calls[] = {
/* made from <asm/unistd.h>: rows such as CALL(read) */
#define CALL(name) { #name, __NR_##name },
#include "syscalls.inc"
#undef CALL
};

static const char *const names[] = {
#define CALL(name) [__NR_##name] = #name,
#include "syscalls.inc"
#undef CALL
};

/* System calls whose functions in the kernel have other names. */
static const struct {
	const char *function, *call;
} renamed[] = {
	{ "newstat", "stat" },	 { "newfstat", "fstat" },      { "newlstat", "lstat" },
	{ "newuname", "uname" }, { "sendfile64", "sendfile" }, { "umount", "umount2" },
};

int mp_syscall_number(const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(renamed); i++)
		if (strcmp(renamed[i].function, name) == 0)
			name = renamed[i].call;
	for (i = 0; i < MP_ARRAY_SIZE(calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].number;
	return -1;
}

const char *mp_syscall_name(uint64_t number)
{
	return number < MP_ARRAY_SIZE(names) ? names[number] : NULL;
}

const char *mp_syscall_machine(void)
{
#if defined(__x86_64__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#elif defined(__riscv)
	return "riscv64";
#else
	return "";
#endif
}
