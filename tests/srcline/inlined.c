// SPDX-License-Identifier: GPL-2.0-only
/* Functions inlined in each other and called, for some CPU time: tests/srcline.bats. */
#include <stdlib.h>

#include "tests/load/cpu.h"

#define INLINED static inline __attribute__((always_inline))

volatile unsigned long sum;

void library_work(unsigned long n);
void plain_work(unsigned long n);

INLINED void innermost(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i * i;
}

INLINED void middle(unsigned long n)
{
	sum ^= n;
	innermost(n);
	innermost(n / 2);
}

static __attribute__((noinline)) void outer(unsigned long n)
{
	if (n & 1)
		middle(n);
	else
		middle(n / 2);
	sum += n;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.3;
	unsigned long i;

	for (i = 20000; cpu_seconds() < seconds; i++) {
		outer(i);
		plain_work(i);
		library_work(i);
	}
	return 0;
}
