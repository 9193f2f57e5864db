// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/bell.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { TRIES = 10 }; /* how often a call is tried that has no reason to fail */

int mp_bell_new(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		mp_die("cannot make an eventfd: %m");
	return fd;
}

void mp_bell_ring(int fd)
{
	uint64_t one = 1;
	int i;

	for (i = 0; i < TRIES; i++)
		/* EAGAIN: it rings already */
		if (write(fd, &one, sizeof(one)) > 0 || errno == EAGAIN)
			return;
	mp_die("cannot write to an eventfd: %m");
}

bool mp_bell_answer(int fd)
{
	uint64_t rings;

	return read(fd, &rings, sizeof(rings)) > 0;
}
