// SPDX-License-Identifier: GPL-2.0-only
/*
 * map FILE...: maps the second page of each file as code, says "ready", and calls what begins
 * there, file after file, with pauses, until it is killed. tests/hostile/elf.py writes such files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PAGE = 4096, PAUSE_US = 1000 };

static void *map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);

	if (code == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	return code;
}

int main(int argc, char **argv)
{
	void **codes = calloc((size_t)argc, sizeof(*codes));
	int i;

	for (i = 1; i < argc; i++)
		codes[i] = map(argv[i]);
	say_ready();
	for (i = 1;; i = i % (argc - 1) + 1) {
		((void (*)(void))codes[i])();
		usleep(PAUSE_US);
	}
}
