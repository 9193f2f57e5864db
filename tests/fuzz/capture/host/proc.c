// SPDX-License-Identifier: GPL-2.0-only
/* Files of /proc, which contain names and paths of other users: the input is the file. */
#include "lib/capture/host/proc.h"

#include <stdlib.h>

#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mp_str file;

static int open_file(void *arg, const char *path)
{
	(void)arg, (void)path;
	return memory_file(file.p, file.len);
}

static void take_map(void *arg, const struct mp_proc_map *map)
{
	size_t *bytes = arg;

	*bytes += strlen(map->path);
	if (*bytes > file.len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pid_t pid, tid;
	char comm[64];
	size_t len = 0;

	file = (struct mp_str){ (const char *)data, size };
	mp_proc_open_by(open_file, NULL);
	mp_proc_maps(1, take_map, &len);
	if (mp_proc_comm(1, 1, comm, &len) && len >= sizeof(comm))
		abort();
	mp_proc_uid(1);
	mp_proc_process_of(1);
	mp_proc_inner_ids(1, &pid, &tid);
	if (mp_proc_line("/proc/1/x", comm, sizeof(comm)) && strchr(comm, '\n'))
		abort();
	return 0;
}
