// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the end of a recording does not wait until the mappings of all its processes were read,
 * of which there are many.
 */
#include "lib/capture/session/java.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/jcmd.h"
#include "lib/core/base.h"
#include "lib/capture/host/proc.h"
#include "tests/unit/tap.h"

enum { MAPPINGS = 5000, PROCESSES = 300, PAGE = 4096 };

static _Noreturn void wait_for_end(void)
{
	for (;;)
		pause();
}

/* Makes neighbours that differ, each a mapping of its own, then many processes with these. */
static _Noreturn void be_large(int ready)
{
	char *at = mmap(NULL, 2 * MAPPINGS * (size_t)PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	int i;

	setsid();
	for (i = 0; i < MAPPINGS; i++)
		mprotect(at + 2 * i * (size_t)PAGE, PAGE, PROT_READ);
	for (i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			close(ready);
			wait_for_end();
		}
	close(ready);
	wait_for_end();
}

/* Returns the process, whose children are of the same process group, when all are there. */
static pid_t start_large(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) < 0 || (pid = fork()) < 0)
		mp_die("cannot start a process: %m");
	if (pid == 0)
		be_large(ends[1]);
	close(ends[1]);
	while (read(ends[0], &byte, 1) > 0)
		;
	close(ends[0]);
	return pid;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(void)
{
	struct mp_target none = { .n_cgroups = 0 };
	struct mp_pids pids = { NULL, 0, 0 };
	uint64_t began_ns, one_ns, end_ns;
	struct mp_java *java;
	char folder[64], jcmd[80];
	pid_t pid;
	int tid;

	/* a folder that only this user can change */
	snprintf(folder, sizeof(folder), "/run/mp-unit-java.%d", (int)getpid());
	snprintf(jcmd, sizeof(jcmd), "%s/jcmd", folder);
	if (mkdir(folder, 0755) < 0 || symlink("/bin/false", jcmd) < 0) {
		ok(true, "# SKIP cannot write to /run");
		rmdir(folder);
		return tap_done();
	}
	setenv("PATH", folder, 1);
	pid = start_large();
	mp_pids_add(&pids, pid);
	began_ns = cpu_ns();
	ok(!mp_jcmd_is_jvm(pid), "a process without libjvm.so");
	one_ns = cpu_ns() - began_ns;
	began_ns = cpu_ns();
	java = mp_java_start(&none, &pids, &tid);
	mp_java_end(java);
	end_ns = cpu_ns() - began_ns;
	printf("# %llu ns for one, %llu ns until the end\n", (unsigned long long)one_ns,
	       (unsigned long long)end_ns);
	ok(java && end_ns < one_ns * PROCESSES / 2,
	   "the end does not wait until all mappings were read");
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	mp_pids_release(&pids);
	unlink(jcmd);
	rmdir(folder);
	return tap_done();
}
