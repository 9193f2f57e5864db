// SPDX-License-Identifier: GPL-2.0-only
/*
 * steady SECONDS: for that time alternates between 23 calls of getsid, some work, which takes 1 to 4
 * ms of CPU time on any machine, and a pause, all below the functions steady_outer and
 * steady_inner. Prints its pid and how often it has called getsid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/load/cpu.h"

enum { CALLS = 23, PAUSE_US = 15000 };

static volatile unsigned long worked;
static long calls, work = 100000;

static void do_work(void)
{
	long i;

	for (i = 0; i < work; i++)
		worked += i;
}

static void choose_work(void)
{
	double began;

	for (;; work *= 2) {
		began = cpu_seconds();
		do_work();
		if (cpu_seconds() - began >= 0.002)
			break;
	}
	work /= 2;
}

__attribute__((noinline, noclone)) static void steady_inner(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getsid, 0);
	calls += CALLS;
	do_work();
}

__attribute__((noinline, noclone)) static void steady_outer(void)
{
	steady_inner();
	usleep(PAUSE_US);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end;

	choose_work();
	end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);
	while (now() < end)
		steady_outer();
	printf("%d %ld\n", (int)getpid(), calls);
	return 0;
}
