/* SPDX-License-Identifier: GPL-2.0-only */
/* Input and output of fuzzed code in memory files. A failure ends the program by abort(). */
#ifndef MP_FUZZ_MEMORY_H
#define MP_FUZZ_MEMORY_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/io.h"

/* A file with these bytes, at its beginning. */
static inline int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/* What a file contains, with a NUL; owned by the caller. */
static inline char *memory_read(int fd, size_t *len)
{
	char *text;

	*len = lseek(fd, 0, SEEK_END);
	text = mp_zalloc(*len + 1);
	if (pread(fd, text, *len, 0) != (ssize_t)*len)
		abort();
	return text;
}

static inline void memory_out_init(struct mp_out *out)
{
	mp_out_init(out, memory_file("", 0), "memory");
}

/* Closes the output and returns what was written, as memory_read(). */
static inline char *memory_out_close(struct mp_out *out, size_t *len)
{
	char *text;

	mp_out_flush(out);
	text = memory_read(out->fd, len);
	mp_out_close(out);
	return text;
}

#endif
