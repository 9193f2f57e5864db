// SPDX-License-Identifier: GPL-2.0-only
#include "lib/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * MP_NS_PER_SEC + ts.tv_nsec;
}

uint64_t mp_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void mp_clock_pair(uint64_t *monotonic_ns, uint64_t *realtime_ns)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 8; i++) {
		uint64_t before = read_clock(CLOCK_MONOTONIC);
		uint64_t real = read_clock(CLOCK_REALTIME);
		uint64_t after = read_clock(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		*monotonic_ns = before + best / 2;
		*realtime_ns = real;
	}
}

void mp_rfc3339(char *to, uint64_t realtime_ns, bool local)
{
	time_t seconds = realtime_ns / MP_NS_PER_SEC;
	long minutes;
	struct tm tm;
	size_t n;

	if (local)
		localtime_r(&seconds, &tm);
	else
		gmtime_r(&seconds, &tm);
	minutes = tm.tm_gmtoff / 60;
	n = strftime(to, 24, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(to + n, MP_RFC3339_MAX - n, ".%09u%c%02ld:%02ld",
		 (unsigned)(realtime_ns % MP_NS_PER_SEC), minutes < 0 ? '-' : '+',
		 labs(minutes) / 60, labs(minutes) % 60);
}
