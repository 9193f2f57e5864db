// SPDX-License-Identifier: GPL-2.0-only
/* "paths N": system calls with texts of all kinds, each N times, and one execve(2). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A page of the program that is not in memory after madvise(2). */
static const char absent[4096] __attribute__((aligned(4096))) = "/nowhere/not-in-memory";

static void run(char *const argv[])
{
	pid_t child = fork();

	if (child == 0) {
		execv(argv[0], argv);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i;
	/* on the stack, which a child has in memory, unlike constants of the program */
	char program[] = "/bin/true", one[] = "one", two[] = "two words", none[] = "";
	char *words[] = { program, one, two, none, NULL };
	static char full[3001];

	memset(full, 'a', sizeof(full) - 1);
	for (i = 0; i < n; i++) {
		syscall(SYS_openat, AT_FDCWD, "/nowhere/in-memory", O_RDONLY | O_CLOEXEC, 0);
		syscall(SYS_openat, AT_FDCWD, "/nowhere/a\tb\nc\\d", O_RDONLY, 0);
		syscall(SYS_openat, AT_FDCWD, full, O_RDONLY, 0);
		syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY, 0);
		syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0);
		madvise((void *)absent, sizeof(absent), MADV_DONTNEED);
		syscall(SYS_openat, AT_FDCWD, absent, O_RDONLY, 0);
		syscall(SYS_rename, "/nowhere/old", "/nowhere/new");
		syscall(SYS_write, -1, "no text", 7);
		syscall(SYS_mount, "/nowhere/device", "/nowhere/place", "nofs", 0, NULL);
		syscall(SYS_umount2, "/nowhere/place", 0);
		syscall(SYS_sethostname, "no text", -1);
		syscall(SYS_readlink, "/nowhere/link", full, 1);
	}
	run(words);
	return 0;
}
