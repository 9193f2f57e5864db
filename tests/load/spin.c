// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin SECONDS: spends that CPU time in spin_here, which spin_caller calls; both are static
 * functions. Prints its pid first. The tests of symbols strip it, hide its path and delete it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/load/cpu.h"

static volatile unsigned long spun;

__attribute__((noinline, noclone)) static void spin_here(double until)
{
	int i;

	do {
		for (i = 0; i < 100000; i++)
			spun += i;
	} while (cpu_seconds() < until);
}

__attribute__((noinline, noclone)) static void spin_caller(double until)
{
	spin_here(until);
	spun++;
}

int main(int argc, char **argv)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	spin_caller(cpu_seconds() + (argc > 1 ? strtod(argv[1], NULL) : 1));
	return 0;
}
