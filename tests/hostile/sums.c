// SPDX-License-Identifier: GPL-2.0-only
/*
 * sums: eight processes sleep, each in turn in 262,144 places of code that they have written, so
 * that nearly each sleep has a stack of its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PLACES = 1 << 18, PROCESSES = 8, CODE_BYTES = 16, SLEEP_NS = 50000 };

typedef long place_fn(long call, const void *time, void *rest);

static char *write_code(void)
{
#ifdef __x86_64__
	/* mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; syscall; ret */
	static const char place[CODE_BYTES] = "\x48\x89\xf8\x48\x89\xf7\x48\x89\xd6\x0f\x05\xc3";
#else
	/* mov x8, x0; mov x0, x1; svc 0; ret; x1 is the time as well, which the rest may replace */
	static const char place[CODE_BYTES] =
		"\xe8\x03\x00\xaa\xe0\x03\x01\xaa\x01\x00\x00\xd4\xc0\x03\x5f\xd6";
#endif
	char *code = mmap(NULL, (size_t)PLACES * CODE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (code == MAP_FAILED)
		return NULL;
	for (i = 0; i < PLACES; i++)
		memcpy(code + i * CODE_BYTES, place, CODE_BYTES);
	__builtin___clear_cache(code, code + (size_t)PLACES * CODE_BYTES);
	if (mprotect(code, (size_t)PLACES * CODE_BYTES, PROT_READ | PROT_EXEC) < 0)
		return NULL;
	return code;
}

int main(void)
{
	char *code = write_code();
	size_t i;

	if (!code) {
		perror("sums");
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	become(PROCESSES);
	for (i = 0;; i = (i + 1) % PLACES) {
		struct timespec t = { 0, SLEEP_NS };

		((place_fn *)(uintptr_t)(code + i * CODE_BYTES))(SYS_nanosleep, &t, NULL);
	}
}
