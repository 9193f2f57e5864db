// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch N: prints the address of a variable, waits for a line on standard input, then writes the
 * variable N times and reads it N times.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile int watched;

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i, sum = 0;

	printf("%p\n", (void *)&watched);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (i = 0; i < n; i++)
		watched = i;
	for (i = 0; i < n; i++)
		sum += watched;
	return sum < 0;
}
