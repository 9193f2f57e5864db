// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin SECONDS: spends its time in spin_here, called by spin_caller, static functions. Prints its
 * pid first. The symbol tests strip it, hide it and delete it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long spun;

__attribute__((noinline, noclone)) static void spin_here(double until)
{
	struct timespec now;
	int i;

	do {
		for (i = 0; i < 100000; i++)
			spun += i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < until);
}

__attribute__((noinline, noclone)) static void spin_caller(double until)
{
	spin_here(until);
	spun++;
}

int main(int argc, char **argv)
{
	struct timespec now;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &now);
	spin_caller((double)now.tv_sec + (double)now.tv_nsec / 1e9 +
		    (argc > 1 ? strtod(argv[1], NULL) : 1));
	return 0;
}
