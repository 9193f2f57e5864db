/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The context of a task, which holds the events that were opened on it or inherited by it. When two
 * tasks of a family run one after the other, the kernel saves time: it swaps their contexts. But a
 * breakpoint of a user-space probe remains in a process only as long as an event exists that was
 * made for one of its tasks, in whichever context it is. If a child ends with the parent's event,
 * the breakpoints of the parent and of its later children are gone (Linux 6.18, uprobe_perf_close()
 * in kernel/trace/trace_uprobe.c). Includes event.
 */
#ifndef MP_CAPTURE_RING_PERF_CONTEXT_H
#define MP_CAPTURE_RING_PERF_CONTEXT_H

#include <sys/types.h>

#include "lib/capture/event/event.h"

/* Whether an event may lose hits if contexts are swapped: a probe on a program, counted or not. */
bool mp_perf_context_matters(const struct mp_events *events);

/*
 * Lets a task and all that it will create keep their contexts, until the file descriptor is closed
 * that this returns. Returns -1 with errno: ESRCH if the task has ended, EINVAL if the kernel
 * always swaps contexts, as Linux 6.1 does.
 */
int mp_perf_context_keep(pid_t tid);

#endif
