/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that gets its name only when it is complete, and of which a signal leaves nothing. There
 * is at most one at a time. Includes base only.
 */
#ifndef MP_RECORDINGS_DRAFT_H
#define MP_RECORDINGS_DRAFT_H

#include <sys/types.h>

#include "lib/core/base.h"

/*
 * Makes the file in the folder `at`, without following a symlink. Returns its fd, to read and
 * write, or -1 with errno. `at` stays open until the draft is kept or dropped.
 */
int mp_draft_open(int at, mode_t mode);

/*
 * Gives it this name in its folder; a file of that name is replaced, unless `fresh`. Returns 0, or
 * -1 with errno; with `fresh` it then still is a draft, else it is gone.
 */
int mp_draft_keep(const char *name, bool fresh);

/* Removes the draft, if there is one. For signal handlers, too. */
void mp_draft_drop(void);

/* Whether a file has the name of a draft, perhaps of a program that was killed. */
bool mp_draft_is(const char *name);

#endif
