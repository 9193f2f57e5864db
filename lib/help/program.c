// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool mp_help_has(const char *folders, const char *program, int mode)
{
	bool found = false;

	while (!found && *folders) {
		int len = (int)strcspn(folders, ":");
		char *path = mp_asprintf("%.*s/%s", len ? len : 1, len ? folders : ".", program);

		found = access(path, mode) == 0;
		free(path);
		folders += len + (folders[len] == ':');
	}
	return found;
}

void mp_help_become(char **argv)
{
	const char *path = getenv("PATH");
	char exe[PATH_MAX], *beside;
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	while (len > 0 && exe[len - 1] != '/')
		len--;
	beside = mp_asprintf("%.*s%s", (int)MP_MAX(len, 0), exe, argv[0]);
	if (len > 0)
		execv(beside, argv);
	free(beside);
	if (len > 0 && errno != ENOENT)
		return;
	execvp(argv[0], argv);
	/* execvp() fails with this, too, if it may not search one of the folders */
	if (errno == EACCES && path && !mp_help_has(path, argv[0], F_OK))
		errno = ENOENT;
}

static _Noreturn void run(char **argv, int out)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	mp_help_become(argv);
	_exit(127);
}

static void read_all(int fd, struct mp_buf *to)
{
	ssize_t n;

	do {
		mp_buf_reserve(to, 1 << 16);
		n = read(fd, to->p + to->len, to->cap - to->len);
		to->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
}

int mp_help_read(char **argv, struct mp_buf *to)
{
	int ends[2], status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		run(argv, ends[1]);
	close(ends[1]);
	if (pid > 0)
		read_all(ends[0], to);
	close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 127)
		return -1;
	return WEXITSTATUS(status);
}
