/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the state machine share: how a state becomes unknown, and what a loss does.
 * Includes sched.
 */
#ifndef MP_SCHED_INTERNAL_H
#define MP_SCHED_INTERNAL_H

#include "lib/sched/sched.h"

/* The CPU of this number, created if necessary; the state of a new one is unknown. */
struct mp_sched_cpu *mp_sched_cpu_of(struct mp_sched *s, int32_t cpu);

/*
 * Makes the state of the task unknown, from its last event on; if it ran, also the state of its
 * CPU.
 */
void mp_sched_forget(struct mp_sched *s, struct mp_sched_task *t, uint64_t now);

/* Makes the state of a CPU unknown since its last event. */
void mp_sched_forget_cpu(struct mp_sched *s, size_t cpu, uint64_t now);

/*
 * Pays for losses with an event. Returns false if the machine is dark, and the event changes no
 * state.
 */
bool mp_sched_pay(struct mp_sched *s);

#endif
