// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static int new_memfd(const char *name)
{
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		fd = memfd_create(name, flags);
	if (fd < 0)
		mp_die("cannot make the shared memory '%s': %m", name);
	return fd;
}

/*
 * The limit on file sizes is meant for output, but also applies to shared memory, of which only a
 * part may be used. Root may exceed it, others only up to the hard limit.
 */
static void raise_limit(const struct rlimit *old, const char *name, size_t size)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit hard = { old->rlim_max, old->rlim_max };

	if (setrlimit(RLIMIT_FSIZE, &all) < 0 &&
	    (old->rlim_max < size || setrlimit(RLIMIT_FSIZE, &hard) < 0))
		mp_die("cannot make the shared memory '%s': the limit on file sizes (ulimit -f) "
		       "is below %zu MiB",
		       name, size >> 20);
}

int mp_memfd_new(const char *name, size_t size, int more_seals)
{
	int fd = new_memfd(name), result;
	struct rlimit old;
	bool limited = getrlimit(RLIMIT_FSIZE, &old) == 0 && old.rlim_cur < size;

	if (limited)
		raise_limit(&old, name, size);
	result = ftruncate(fd, (off_t)size);
	if (limited)
		setrlimit(RLIMIT_FSIZE, &old);
	if (result < 0 || fchmod(fd, S_IRUSR | S_IWUSR) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | more_seals) < 0)
		mp_die("cannot make the shared memory '%s' of %zu MiB: %m", name, size >> 20);
	return fd;
}
