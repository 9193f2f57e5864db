// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into a program, makes one of its allocations fail: the one whose number, from 1 on, is
 * in NOMEM_AT. Whatever allocates counts, the C library and other libraries too. With NOMEM_SAYS
 * set to a file, that file exists afterwards if the program came as far as that allocation. glibc
 * only, with AddressSanitizer (verify_asan_link_order=0) or without.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
__attribute__((weak)) void *__interceptor_malloc(size_t size);
__attribute__((weak)) void *__interceptor_calloc(size_t n, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *old, size_t size);

static long left; /* allocations until the one that fails; 0: it has failed, or none is to */

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("NOMEM_AT");

	left = at ? atol(at) : 0;
}

static int fails(void)
{
	const char *says = getenv("NOMEM_SAYS");

	if (left == 0 || --left)
		return 0;
	if (says)
		close(open(says, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
}

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	if ((flags & MAP_ANONYMOUS) && fails())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}
