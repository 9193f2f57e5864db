// SPDX-License-Identifier: GPL-2.0-only
/*
 * many PROCESSES FILE: starts PROCESSES processes. Each makes a copy of the file, maps its second
 * page as code, and calls that now and then, until it is killed. tests/hostile/elf.py writes such
 * files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

enum { PAGE = 4096, PAUSE_US = 500000 };

static void *map_copy(const char *path, int number)
{
	int from = open(path, O_RDONLY), to;
	char name[32];
	struct stat st;
	void *code;

	snprintf(name, sizeof(name), "copy%d", number);
	to = open(name, O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (from < 0 || to < 0 || fstat(from, &st) < 0 ||
	    sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
		return MAP_FAILED;
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, to, PAGE);
	close(from);
	close(to);
	return code;
}

static void run(const char *path, int number)
{
	void *code = map_copy(path, number);

	if (code == MAP_FAILED) {
		perror(path);
		_exit(1);
	}
	for (;;) {
		((void (*)(void))code)();
		usleep(PAUSE_US);
	}
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0, i;

	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			return 1;
		}
		if (pid == 0)
			run(argv[2], i);
	}
	say_ready();
	for (;;)
		pause();
}
