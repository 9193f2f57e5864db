/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * While a recording runs, asks the Java virtual machines of its target for the names of the code
 * that they have compiled so far: at the begin, and again after 1, 2, 4, 8 and then each 16 s.
 * Includes target.
 */
#ifndef MP_CAPTURE_SESSION_JAVA_H
#define MP_CAPTURE_SESSION_JAVA_H

#include "lib/capture/host/target.h"

struct mp_java;

/*
 * Starts a thread, whose id `*tid` gets; NULL, with a message: there is no jcmd. `processes` are
 * asked with their descendants; if there are none, those of the cgroups of the target are, or all.
 * The target is borrowed.
 */
struct mp_java *mp_java_start(const struct mp_target *target, const struct mp_pids *processes,
			      int *tid);

/* Ends the thread, without waiting for a virtual machine. NULL is fine. */
void mp_java_end(struct mp_java *j);

#endif
