/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU time that this process has used, in seconds. A load runs until it has used some: on any machine, and beside
 * any other load, there is then as much of it to sample.
 */
#ifndef LOAD_CPU_H
#define LOAD_CPU_H

#include <time.h>

static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
