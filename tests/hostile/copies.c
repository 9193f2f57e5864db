// SPDX-License-Identifier: GPL-2.0-only
/*
 * copies: makes system calls from a stack that leads nowhere and is large, and maps code all the
 * time, so that each of them needs a copy of the stack: tables that are as young as these may lack
 * a mapping.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PAGE = 4096, STACK = 1 << 20, CALLS = 500, PROCESSES = 4 };

static char stack[STACK] __attribute__((aligned(64)));

static void call(void)
{
#ifdef __x86_64__
	uint64_t sp = (uint64_t)(stack + STACK / 2), saved, result = SYS_getpid;

	__asm__ volatile("mov %%rsp, %0\n\tmov %2, %%rsp\n\tsyscall\n\tmov %0, %%rsp"
			 : "=&b"(saved), "+a"(result)
			 : "r"(sp)
			 : "rcx", "r11", "memory");
#else
	syscall(SYS_getpid);
#endif
}

int main(void)
{
	int i;

	memset(stack, 0x41, sizeof(stack));
	become(PROCESSES);
	for (;;) {
		void *p =
			mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (i = 0; i < CALLS; i++) {
			call();
			if (i % 4 == 0)
				usleep(100);
		}
		munmap(p, PAGE);
	}
}
