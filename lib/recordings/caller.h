/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user who called sudo(8): recordings and pages are in that user's home, and belong to that
 * user. Includes base only.
 */
#ifndef MP_RECORDINGS_CALLER_H
#define MP_RECORDINGS_CALLER_H

#include "lib/core/base.h"

/*
 * Between these two, the process has the privileges of the user who called sudo, and no others.
 * Without sudo they do nothing.
 */
void mp_caller_begin(void);
void mp_caller_end(void);

/* Becomes that user for good, with HOME set. Without sudo it does nothing. */
void mp_caller_become(void);

/* That user's home, else HOME. Owned by the caller; NULL: there is none. */
char *mp_caller_home(void);

#endif
