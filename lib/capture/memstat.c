// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/memstat.h"

#include <fcntl.h>
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

/* A file of /proc/PID as far as `size`; false if it cannot be read. */
static bool read_file(pid_t pid, const char *file, char *to, size_t size)
{
	ssize_t n;
	int fd;

	snprintf(to, size, "/proc/%d/%s", (int)pid, file);
	fd = open(to, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, to, size - 1);
	close(fd);
	to[MP_MAX(n, 0)] = '\0';
	return n > 0;
}

bool mp_memstat_read(enum mp_memstat what, pid_t pid, uint64_t *bytes)
{
	unsigned long long n = 0;
	const char *line;
	char text[2048];

	if (what == MP_MEM_RSS) {
		if (!read_file(pid, "statm", text, sizeof(text)) ||
		    sscanf(text, "%*u %llu", &n) != 1)
			return false;
		*bytes = n * getpagesize();
	} else {
		if (!read_file(pid, "smaps_rollup", text, sizeof(text)))
			return false;
		line = strstr(text, "\nPss:");
		if (!line || sscanf(line, "\nPss: %llu", &n) != 1)
			return false;
		*bytes = n << 10;
	}
	return n > 0;
}
