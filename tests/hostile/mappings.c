// SPDX-License-Identifier: GPL-2.0-only
/*
 * mappings before|while MADE KEPT: makes MADE mappings of code, each at another address, in an
 * order that is not that of the addresses, and keeps the first KEPT of them. "while": says "ready"
 * first, and makes them again and again, with a line for each 10,000. "before": makes them once,
 * says "ready", and then sleeps and wakes many times a second.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PAGE = 4096, MADE_PER_LINE = 10000 };

int main(int argc, char **argv)
{
	char *base = (char *)0x100000000000;
	int fd = open("/proc/self/exe", O_RDONLY);
	long made, kept, i;
	char *at;

	if (argc != 4 || fd < 0)
		return 2;
	made = atol(argv[2]);
	kept = atol(argv[3]);
	if (strcmp(argv[1], "while") == 0)
		say_ready();
	do
		for (i = 0; i < made; i++) {
			at = base + (unsigned long)i * 2654435761u % made * 2 * PAGE;
			if (mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
			    MAP_FAILED)
				kept = i; /* vm.max_map_count */
			if (i >= kept)
				munmap(at, PAGE);
			if (i % MADE_PER_LINE == MADE_PER_LINE - 1 &&
			    strcmp(argv[1], "while") == 0) {
				puts("made");
				fflush(stdout);
			}
		}
	while (strcmp(argv[1], "while") == 0);
	say_ready();
	for (;;)
		usleep(1000);
}
