// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/descriptors.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_from(unsigned first)
{
	unsigned fd;

	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	for (fd = first; fd < 1 << 16; fd++)
		close((int)fd);
}

/*
 * Any of `fds` may have the number that another one is to get, so all are first copied to higher
 * numbers.
 */
bool mp_descriptors_place(const int *fds, unsigned n)
{
	int moved[MP_DESCRIPTORS];
	unsigned i;

	for (i = 0; i < n; i++)
		if ((moved[i] = fcntl(fds[i], F_DUPFD, MP_DESCRIPTORS)) < 0)
			return false;
	for (i = 0; i < n; i++)
		if (dup2(moved[i], (int)i) < 0)
			return false;
	close_from(n);
	return true;
}
