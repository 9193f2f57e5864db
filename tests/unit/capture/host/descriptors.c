// SPDX-License-Identifier: GPL-2.0-only
/* A process gets its descriptors as 0, 1, 2, ..., whatever their numbers were. */
#include "lib/capture/host/descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/base.h"
#include "tests/unit/tap.h"

enum { MOST = 4, FREE = 200 };

static unsigned count_open(void)
{
	unsigned n = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Whether it has n files, the first one at `numbers[0]` and so on, and then has them at 0, 1, ... */
static bool places(const int *numbers, unsigned n)
{
	int fds[MOST], status;
	ino_t inodes[MOST];
	struct stat st;
	unsigned i;
	pid_t pid = fork();

	if (pid == 0) {
		for (i = 0; i < n; i++) {
			int pair[2];

			if (pipe(pair) < 0 || fstat(pair[0], &st) < 0)
				_exit(1);
			inodes[i] = st.st_ino;
			fds[i] = fcntl(pair[0], F_DUPFD, FREE);
		}
		for (i = 0; i < n; i++)
			dup2(fds[i], numbers[i]);
		if (!mp_descriptors_place(numbers, n) || count_open() != n)
			_exit(2);
		for (i = 0; i < n; i++)
			if (fstat((int)i, &st) < 0 || st.st_ino != inodes[i])
				_exit(3);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	bool all = true;
	int a, b;

	for (a = 0; a < 70; a++)
		for (b = 0; b < 70; b++)
			all &= a == b || places((int[]){ a, b }, 2);
	ok(all, "two, each from any number below 70");
	ok(places((int[]){ 3, 2, 1, 0 }, 4), "four in reverse order");
	ok(places((int[]){ 1, 2, 3, 0 }, 4), "four that move by one");
	ok(places(NULL, 0), "none");
	close(100);
	ok(!mp_descriptors_place((int[]){ 100 }, 1), "refuses one that is not open");
	return tap_done();
}
