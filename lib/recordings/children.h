/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that run for this one, and what signals do meanwhile. Includes base only. */
#ifndef MP_RECORDINGS_CHILDREN_H
#define MP_RECORDINGS_CHILDREN_H

#include "lib/core/base.h"

enum { MP_CHILDREN_MAX = 32 };

/*
 * From now on SIGINT, SIGTERM and SIGHUP remove the draft, end the children and then this program.
 * While it is patient, as for a recorder, which ends in order, they only reach the child.
 */
void mp_children_guard(void);
void mp_children_patient(bool patient);

/*
 * Starts a program of the mp tools or one on PATH with these fds as standard input, output and error.
 * Without one of that name, the child ends with status 127.
 */
void mp_children_start(char **argv, int in, int out, int err);

/*
 * Starts a program on PATH in a session of its own, without input or output, and does not wait for it.
 */
void mp_children_detach(char **argv);

/*
 * Waits for all of them. Returns the worst of their statuses: MP_FAIL also if a signal killed one,
 * but not if SIGPIPE killed one that was not the last.
 */
enum mp_status mp_children_wait(void);

#endif
