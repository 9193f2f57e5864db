/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that parses a hostile file for this one: it has limits of time and memory, can open
 * nothing, and only answers questions. Includes str.
 */
#ifndef MP_SRCLINE_JAIL_H
#define MP_SRCLINE_JAIL_H

#include <sys/types.h>

#include "lib/core/str.h"

enum { MP_JAIL_ANSWER_MAX = 32 << 10 };

/*
 * Called in the process for each question. Writes an answer of at most MP_JAIL_ANSWER_MAX bytes and
 * returns its length. What it keeps between questions is in `arg`, of which the process has a copy.
 */
typedef size_t mp_jail_fn(void *arg, const void *question, size_t len, char *answer);

struct mp_jail {
	pid_t pid; /* 0: there is no process */
	int fd;
};

/* Starts the process, for mp_jail_stop(). Returns 0, or -1 with errno. */
int mp_jail_start(struct mp_jail *j, mp_jail_fn *fn, void *arg);

/*
 * Asks, and waits up to 90 s for the answer. Returns its length; or -1 if the process has died or
 * has not answered, and stops it: all further calls return -1.
 */
ssize_t mp_jail_ask(struct mp_jail *j, const void *question, size_t len,
		    char answer[MP_JAIL_ANSWER_MAX]);

/* Stops the process, if there is one. */
void mp_jail_stop(struct mp_jail *j);

#endif
