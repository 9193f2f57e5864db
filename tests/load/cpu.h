/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU time that this process has used, in seconds. Loads run until they have used a given CPU
 * time, so that there are as many samples of them on any machine, however busy it is.
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
