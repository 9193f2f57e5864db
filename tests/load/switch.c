// SPDX-License-Identifier: GPL-2.0-only
/*
 * switch CPU SECONDS: a load of context switches: two processes on one CPU pass a byte back and
 * forth over pipes. Prints the number of round trips; each is two switches.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int there[2], back[2];
	unsigned long rounds = 0;
	cpu_set_t cpus;
	double until;
	pid_t child;
	char byte = 0;

	if (argc != 3 || pipe(there) < 0 || pipe(back) < 0)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(strtol(argv[1], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		return 2;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	until = now() + strtod(argv[2], NULL);
	do {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 2;
	} while (++rounds % 1024 || now() < until);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("%lu\n", rounds);
	return 0;
}
