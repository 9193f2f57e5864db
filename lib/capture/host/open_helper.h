/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that opens files of other users for mp-record (the helper), and its keeper, which
 * kills and replaces a helper that a file system blocks. The asker sends a request and gets an
 * answer with a descriptor; it may be a process without any rights except its two sockets. Includes
 * open_direct.
 */
#ifndef MP_CAPTURE_HOST_OPEN_HELPER_H
#define MP_CAPTURE_HOST_OPEN_HELPER_H

#include <sys/types.h>

#include "lib/capture/host/open_direct.h"

struct mp_open_helper {
	int requests;  /* socket of the helper */
	int keeper;    /* socket of its keeper */
	pid_t pids[2]; /* of the helper, and of its keeper */
};

enum mp_open_kind { MP_OPEN_CODE, MP_OPEN_DEBUG, MP_OPEN_PERFMAP, MP_OPEN_PROC };

enum { MP_OPEN_TEXT = 4096 + 256 };

/* A request; only the used part of `text` is sent. */
struct mp_open_request {
	uint32_t number; /* ascending */
	uint32_t kind;
	uint32_t place;			/* enum mp_open_debug */
	struct mp_open_mapping mapping; /* `path` is not used: it is in the text */
	uint32_t text_len;
	char text[MP_OPEN_TEXT]; /* the path and the name, each with its NUL */
};

/* An answer; it comes with a descriptor unless `error` is an errno. */
struct mp_open_answer {
	uint32_t number;
	int32_t error;
};

/*
 * Starts both processes. To be called before there are threads, since they continue without execve.
 * Returns 0, or -1 with errno.
 */
int mp_open_helper_start(struct mp_open_helper *h);

/*
 * To be called when the asker has died, before another one starts: ends the request that it was
 * waiting for, and drops the answers that it did not read.
 */
void mp_open_helper_renew(const struct mp_open_helper *h);

/* Ends both processes, even if a request blocks the helper. */
void mp_open_helper_end(struct mp_open_helper *h);

#endif
