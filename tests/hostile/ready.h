/* SPDX-License-Identifier: GPL-2.0-only */
/* How the programs of this folder begin. */
#ifndef HOSTILE_READY_H
#define HOSTILE_READY_H

#include <stdio.h>
#include <unistd.h>

/* Tells the test that the attack begins, or that all is in place for it. */
static inline void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* Continues as `n` processes, of which the one that started the others says "ready". */
static inline void become(int n)
{
	int i;

	for (i = 1; i < n; i++)
		if (fork() == 0)
			return;
	say_ready();
}

#endif
