// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recordings/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define PREFIX ".mp-draft-"

/* What a signal handler needs to remove it. */
static struct {
	volatile bool exists;
	int folder;
	char name[sizeof(PREFIX) + 16];
} draft;

int mp_draft_open(int at, mode_t mode)
{
	static bool registered;
	uint64_t number = 0;
	int fd;

	if (!registered && atexit(mp_draft_drop) != 0)
		return -1;
	registered = true;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	snprintf(draft.name, sizeof(draft.name), PREFIX "%016llx", (unsigned long long)number);
	draft.folder = at;
	draft.exists = true;
	fd = openat(at, draft.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		draft.exists = false;
	return fd;
}

int mp_draft_keep(const char *name, bool fresh)
{
	int saved;

	if (fresh) {
		/* unlike rename(2), link(2) refuses a name that exists */
		if (linkat(draft.folder, draft.name, draft.folder, name, 0) < 0) {
			if (errno == EEXIST || renameat2(draft.folder, draft.name, draft.folder,
							 name, RENAME_NOREPLACE) < 0)
				return -1;
			draft.exists = false;
			return 0;
		}
		mp_draft_drop();
		return 0;
	}
	if (renameat(draft.folder, draft.name, draft.folder, name) < 0) {
		saved = errno;
		mp_draft_drop();
		errno = saved;
		return -1;
	}
	draft.exists = false;
	return 0;
}

void mp_draft_drop(void)
{
	if (draft.exists)
		unlinkat(draft.folder, draft.name, 0);
	draft.exists = false;
}

bool mp_draft_is(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}
