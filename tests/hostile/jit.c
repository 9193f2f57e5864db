// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit HOW: runs code in memory without a file, whose perf map is a hole of 255 MiB (hole), has 2
 * million entries (large), one line of 200 MiB (line), or is written again and again with 100,000
 * entries (again), until it is killed; or (log) whose jit-PID.dump in the current folder has 700,000
 * entries. Says "ready" when that is there; whoever starts it removes /tmp/perf-PID.map.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum {
	PAGE = 4096,
	ENTRIES_LOG = 700000,
	ENTRIES_LARGE = 2000000,
	ENTRIES_AGAIN = 100000,
	CALLS = 100
};

/* a loop of 1 million rounds */
#if defined(__x86_64__)
static const unsigned char code[] = { 0xb9, 0x40, 0x42, 0x0f, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
#elif defined(__aarch64__)
static const unsigned code[] = { 0xd2884800, 0xf2a001e0, 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
static const unsigned char code[] = { 0 };
#endif

static void write_entries(FILE *f, unsigned long start, int n)
{
	int i;

	rewind(f);
	for (i = 0; i < n; i++)
		fprintf(f, "%lx %x function_%d_with_a_name_of_some_length_as_compilers_make_them\n",
			start + i, 1, i);
	fflush(f);
}

static void write_map(FILE *f, const char *how, unsigned long start)
{
	static char megabyte[1 << 20];
	int i;

	memset(megabyte, 'x', sizeof(megabyte));
	if (strcmp(how, "hole") == 0 && ftruncate(fileno(f), 255 << 20) < 0)
		exit(1);
	for (i = 0; strcmp(how, "line") == 0 && i < 200; i++)
		fwrite(megabyte, 1, sizeof(megabyte), f);
	fflush(f);
	if (strcmp(how, "large") == 0)
		write_entries(f, start, ENTRIES_LARGE);
	if (strcmp(how, "again") == 0)
		write_entries(f, start, ENTRIES_AGAIN);
}

/* Writes a log of code that is loaded at the address of the code, or beside it, and maps it. */
static void write_log(unsigned long start)
{
	static const char name[] = "function_with_a_name_of_some_length_as_compilers_make_them";
	unsigned head[] = { 0x4a695444, 1, 40, 62, 0, (unsigned)getpid(), 0, 0, 0, 0 };
	struct {
		unsigned id, size;
		unsigned long time;
		unsigned pid, tid;
		unsigned long vma, start, size_of_code, number;
	} load = { 0, sizeof(load) + sizeof(name), 1, 1, 1, start, start, 1, 1 };
	char path[64];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	f = fopen(path, "w+");
	if (!f)
		exit(1);
	fwrite(head, sizeof(head), 1, f);
	for (i = 0; i < ENTRIES_LOG; i++) {
		load.start = start + 2 * (unsigned long)i;
		fwrite(&load, sizeof(load), 1, f);
		fwrite(name, sizeof(name), 1, f);
	}
	fflush(f);
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(1);
}

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *how = argc > 1 ? argv[1] : "hole";
	char path[64];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (memory == MAP_FAILED || !f)
		return 1;
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	write_map(f, how, (unsigned long)memory);
	if (strcmp(how, "log") == 0)
		write_log((unsigned long)memory);
	say_ready();
	for (;;) {
		for (i = 0; i < CALLS; i++)
			((void (*)(void))memory)();
		if (strcmp(how, "again") == 0)
			write_map(f, how, (unsigned long)memory);
	}
}
