// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/ratio.h"

#include <string.h>

const struct mp_ratio mp_ratios[] = {
	{ "branch-miss-ratio", "branch-misses,branches", true },
	{ "cache-miss-ratio", "cache-misses,cache-references", true },
	{ "clock-ratio", "cycles,ref-cycles", true },
	{ "dtlb-miss-ratio", "dTLB-load-misses,dTLB-loads", true },
	{ "ipc", "instructions,cycles", true },
	{ "itlb-miss-ratio", "iTLB-load-misses,iTLB-loads", true },
	{ "l1d-miss-ratio", "L1-dcache-load-misses,L1-dcache-loads", true },
	{ "llc-miss-ratio", "LLC-load-misses,LLC-loads", true },
	{ "major-fault-ratio", "major-faults,page-faults", false },
	{ "migrations-per-switch", "cpu-migrations,context-switches", false },
	{ NULL, NULL, false },
};

const char *mp_ratio_find(const char *name)
{
	const struct mp_ratio *r;

	for (r = mp_ratios; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r->events;
	return NULL;
}
