// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forks and execs itself RATE times a second, until it and its children have used SECONDS of CPU
 * time; 0: until it is stopped. Prints how many children there were.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void spawn(void)
{
	pid_t pid = fork();

	if (pid < 0)
		perror("fork");
	if (pid == 0) {
		execl("/proc/self/exe", "child", (char *)NULL);
		_exit(1);
	}
}

int main(int argc, char **argv)
{
	double rate, seconds;
	unsigned long n = 0;
	struct timespec at;

	if (argc < 3)
		return 0; /* this is a child */
	rate = atof(argv[1]);
	seconds = atof(argv[2]);
	clock_gettime(CLOCK_MONOTONIC, &at);
	while (seconds == 0 || seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN) < seconds) {
		spawn();
		n++;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		at.tv_nsec += (long)(1e9 / rate);
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
			;
	}
	while (wait(NULL) > 0)
		;
	printf("%lu\n", n);
	return 0;
}
