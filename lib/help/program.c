// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a folder of $PATH has the file, as far as this user may search the folders. */
static bool is_in_path(const char *name)
{
	const char *list = getenv("PATH");
	char *folders = mp_strdup(list ? list : ""), *rest = folders, *folder, *path;
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		path = mp_asprintf("%s/%s", *folder ? folder : ".", name);
		found = access(path, F_OK) == 0;
		free(path);
	}
	free(folders);
	return found;
}

void mp_help_become(char **argv)
{
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
	if (errno == EACCES && !is_in_path(argv[0]))
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
