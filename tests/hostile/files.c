// SPDX-License-Identifier: GPL-2.0-only
/*
 * files KEPT: gives a file another name and maps it as code, again and again, so that it seems to
 * be another file each time. Keeps the first mappings, as many as vm.max_map_count allows at most.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PAGE = 4096, NAME_LEN = 200 };

int main(int argc, char **argv)
{
	static char page[PAGE], name[NAME_LEN + 1] = "file", next[NAME_LEN + 1];
	int fd = open(name, O_RDWR | O_CREAT, 0755);
	long kept, i;

	if (argc != 2 || fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return 2;
	kept = atol(argv[1]);
	say_ready();
	for (i = 0;; i++) {
		void *p;

		snprintf(next, sizeof(next), "%0*ld", NAME_LEN, i);
		rename(name, next);
		strcpy(name, next);
		p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			kept = i;
		else if (i >= kept)
			munmap(p, PAGE);
	}
}
