// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 }; /* exit status of a child that could not start perf */

/*
 * What to print, from most to least: perf refuses a field that an event was recorded without. It
 * gives a CPU and a data address to some recordings only.
 */
#define FIELDS "comm,pid,tid,time,period,event,trace,ip,sym,dso"
static const char *const fields[] = { FIELDS ",cpu,addr", FIELDS ",cpu", FIELDS ",addr", FIELDS };

bool mp_import_is_perfdata(const char *data, size_t len)
{
	return len >= 8 && (memcmp(data, "PERFILE2", 8) == 0 || memcmp(data, "PERFFILE", 8) == 0);
}

/* Runs in a child process: perf script on `path`, with its output to `to`. */
static _Noreturn void become_perf(const char *path, const char *what, int to)
{
	const char *args[] = { "perf",	      "script", "-i", path, "--ns", "--show-lost-events",
			       "--max-stack", "65535",	"-F", what, NULL };
	const char *head[] = { "perf", "script", "-i", path, "--header-only", NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	dup2(null, STDIN_FILENO);
	dup2(to, STDOUT_FILENO);
	execvp("perf", (char **)(what ? args : head));
	_exit(NOT_FOUND);
}

static pid_t start(int file, const char *what, int to)
{
	char path[64];
	pid_t pid;

	/* perf opens the file by its number, which the child keeps: a name could be another file now */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file);
	pid = fork();
	if (pid < 0)
		mp_die("cannot start perf: %m");
	if (pid == 0)
		become_perf(path, what, to);
	return pid;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		mp_die("cannot make a pipe: %m");
}

/* Whether perf prints these fields: it fails before the first line if it does not. */
static int try(int file, const char *what)
{
	int ends[2];
	pid_t pid;
	char c;

	open_pipe(ends);
	pid = start(file, what, ends[1]);
	close(ends[1]);
	if (read(ends[0], &c, 1) == 1)
		kill(pid, SIGKILL);
	else
		c = 0;
	close(ends[0]);
	return c ? (wait_for(pid), 0) : wait_for(pid);
}

/* Runs perf twice, one after the other: the header, then the samples. */
static pid_t start_both(int file, const char *what, int to)
{
	pid_t pid = fork();

	if (pid < 0)
		mp_die("cannot start perf: %m");
	if (pid == 0) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), file);
		wait_for(start(file, NULL, to));
		become_perf(path, what, to);
	}
	return pid;
}

const char *mp_import_perfdata_begin(struct mp_import_perfdata *p, int fd)
{
	struct stat st;
	int ends[2], status = 0;
	size_t i;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return "perf.data from a pipe (give the file, or run perf script and import its "
		       "output)";
	for (i = 0; i < MP_ARRAY_SIZE(fields); i++) {
		status = try(fd, fields[i]);
		if (status == 0)
			break;
		if (status == NOT_FOUND)
			return "a perf.data file, and perf is not installed (it prints such files)";
	}
	if (i == MP_ARRAY_SIZE(fields))
		return "a perf.data file that perf cannot read ('perf script -i' says why)";
	open_pipe(ends);
	p->pid = start_both(fd, fields[i], ends[1]);
	close(ends[1]);
	p->fd = ends[0];
	return NULL;
}

bool mp_import_perfdata_end(struct mp_import_perfdata *p)
{
	return wait_for(p->pid) == 0;
}
