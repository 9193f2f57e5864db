// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/memstat.h"

#include <stdio.h>
#include <unistd.h>

static const char *const names[] = { [MP_MEM_RSS] = "mem:rss", [MP_MEM_PSS] = "mem:pss" };

enum mp_memstat mp_memstat_find(const char *name)
{
	size_t i;

	for (i = MP_MEM_RSS; i < MP_ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum mp_memstat)i;
	return MP_MEM_NONE;
}

const char *mp_memstat_name(enum mp_memstat what)
{
	return names[what];
}

bool mp_memstat_read(enum mp_memstat what, pid_t pid, uint64_t *bytes)
{
	unsigned long long n = 0;
	const char *line;
	char path[64], text[2048];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid,
		 what == MP_MEM_RSS ? "statm" : "smaps_rollup");
	if (mp_proc_read(path, text, sizeof(text)) <= 0)
		return false;
	if (what == MP_MEM_RSS) {
		if (sscanf(text, "%*u %llu", &n) != 1)
			return false;
		*bytes = n * getpagesize();
	} else {
		line = strstr(text, "\nPss:");
		if (!line || sscanf(line, "\nPss: %llu", &n) != 1)
			return false;
		*bytes = n << 10;
	}
	return n > 0;
}
