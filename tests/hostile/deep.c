// SPDX-License-Identifier: GPL-2.0-only
/*
 * deep: two processes that call getpgid 1,000 frames deep in a function whose name has 4,000 bytes,
 * and burn CPU time there, until they are killed. Says "ready".
 */
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

#define TEN(text) text text text text text text text text text text

enum { DEPTH = 1000, WORK = 2000000 };

static volatile unsigned long worked;

/* volatile and not static: the compiler may neither make a loop of it nor change its name */
int deep(volatile int level) __asm__("d" TEN(TEN(TEN("long"))));

int deep(volatile int level)
{
	int i;

	if (level)
		return deep(level - 1) + level;
	while (worked < ULONG_MAX) {
		syscall(SYS_getpgid, 0);
		for (i = 0; i < WORK; i++)
			worked += i;
	}
	return 0;
}

int main(void)
{
	say_ready();
	if (fork() < 0)
		return 1;
	return deep(DEPTH);
}
