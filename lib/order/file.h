/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular files that are read in turn, of which only so many are open at a time as the limit of
 * open files (RLIMIT_NOFILE) leaves room for: the one that was not read for the longest time is
 * closed, and opened again later. Includes base only.
 */
#ifndef MP_ORDER_FILE_H
#define MP_ORDER_FILE_H

#include <sys/types.h>

#include "lib/core/base.h"

struct mp_order_file {
	const char *path; /* borrowed */
	int fd;		  /* -1: it is closed */
	off_t at;	  /* position when it was closed */
	dev_t dev;
	ino_t ino;
	struct mp_order_file *older, *newer; /* files that were used before and after it */
};

/* Zeroed memory is valid: no files. */
struct mp_order_files {
	struct mp_order_file *oldest, *newest; /* of those that are open */
	size_t n, max;
};

/* A file that was opened, for which mp_order_file_free() frees memory and closes `fd`. */
struct mp_order_file *mp_order_file_new(struct mp_order_files *files, const char *path, int fd);
void mp_order_file_free(struct mp_order_files *files, struct mp_order_file *f);

/*
 * Its descriptor, valid until the next call for another file; its position is as it was left. Ends
 * the program if it cannot be opened any more, or if another file has its name now.
 */
int mp_order_file_fd(struct mp_order_files *files, struct mp_order_file *f);

#endif
