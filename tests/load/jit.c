// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit SECONDS: for that CPU time runs machine code that it has generated (a loop, x86-64 and arm64)
 * in memory without a file, and names it in /tmp/perf-PID.map: "first" for half of the time, then,
 * at the same address, "second one". Removes the map at the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/load/cpu.h"

#if defined(__x86_64__)
static const uint8_t loop[] = { 0x55, 0x48, 0x89, 0xe5,	      /* push %rbp; mov %rsp,%rbp */
				0xb9, 0x40, 0x42, 0x0f, 0x00, /* mov $1000000,%ecx */
				0xff, 0xc9, 0x75, 0xfc,	      /* dec %ecx; jnz */
				0x5d, 0xc3 };		      /* pop %rbp; ret */
#elif defined(__aarch64__)
static const uint32_t loop[] = { 0xd2884800, 0xf2a001e0, /* mov x0, #1000000 */
				 0xf1000400, 0x54ffffe1, /* subs x0, x0, #1; b.ne */
				 0xd65f03c0 };		 /* ret */
#else
#error "no code for this machine"
#endif

static void add_to_map(const char *path, void *code, const char *name)
{
	FILE *f = fopen(path, "a");

	if (!f)
		exit(2);
	fprintf(f, "%lx %zx %s\n", (unsigned long)code, sizeof(loop), name);
	fclose(f);
}

static void run(void *code, double seconds)
{
	double until = cpu_seconds() + seconds;
	void (*f)(void);

	memcpy(&f, &code, sizeof(f));
	while (cpu_seconds() < until)
		f();
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (code == MAP_FAILED)
		return 2;
	memcpy(code, loop, sizeof(loop));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC) < 0)
		return 2;
	__builtin___clear_cache(code, (char *)code + sizeof(loop));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	add_to_map(path, code, "first");
	run(code, seconds / 2);
	add_to_map(path, code, "second one");
	run(code, seconds / 2);
	unlink(path);
	return 0;
}
