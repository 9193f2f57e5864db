/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the state machine of the scheduler knows, how it becomes unknown, and what losses do.
 * sched.h has the machine. Includes ctl, schedfilter, schedtask.
 */
#ifndef MP_SCHED_SCHEDSTATE_H
#define MP_SCHED_SCHEDSTATE_H

#include "lib/sched/schedfilter.h"
#include "lib/sched/schedtask.h"
#include "lib/stream/ctl.h"

struct mp_sched_span {
	enum mp_sched_state state;
	uint64_t from_ns, to_ns;
	struct mp_sched_task *task; /* the task; NULL: the CPU was idle, or it is unknown who ran */
	int32_t cpu;		    /* the CPU that the task or the idle time occupied; -1: none */
	/* for a wait: the CPU on which the task runs afterwards; else -1 */
	int32_t to_cpu;
	bool cut_begin, cut_end;
	enum mp_sched_state was;  /* in an UNKNOWN span: the state before it */
	enum mp_sched_state then; /* the next state of the task; UNKNOWN if the end is not known */
	uint64_t lost;
	const struct mp_sched_waker *waker; /* the waker; NULL: there is none, or it is not known */
	int32_t next_tid;		    /* the task that got the CPU next; -1: unknown */
	struct mp_str next_comm;	    /* p == NULL: unknown */
	struct mp_str stack;		    /* stack of the task; p == NULL: none */
};

/* The caller's functions. What they get is valid during the call. */
struct mp_sched_sink {
	void (*span)(void *arg, const struct mp_sched_span *span);
	void (*gone)(void *arg, struct mp_sched_task *task); /* may be NULL; the task has ended */
	void *arg;
};

struct mp_sched_loss {
	uint64_t n, time_ns;
	int cpu; /* CPU of the lost events; -1: unknown */
	/* kind of the lost events; MP_SCHED_OTHER: they may be of any kind */
	enum mp_sched_what what;
};

struct mp_sched_cpu {
	enum { MP_CPU_ABSENT, MP_CPU_UNSURE, MP_CPU_IDLE, MP_CPU_BUSY } what;
	bool cut;
	uint64_t since_ns; /* for UNSURE and IDLE: start of that state */
	/* switches before this time are missing; 0: none are missing as far as is known */
	uint64_t gap_ns;
	struct mp_sched_task *task;
};

struct mp_sched {
	struct mp_sched_sink sink;
	bool begun;
	uint64_t begin_ns, now_ns;
	uint64_t clear_ns; /* no event after this time was lost */
	uint64_t lost;
	bool has_wakeups, has_births; /* all wake-ups, and all births of tasks, are recorded */
	/* the switches were recorded with a filter, see mp_sched_filter() */
	bool filtered;
	struct mp_sched_seen seen;
	bool context_differs; /* tid is of another pid namespace than the payload */
	struct mp_sched_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct mp_sched_tasks tasks;
	struct mp_sched_loss *losses; /* losses since the latest event */
	size_t n_losses, cap_losses;
	bool dark;	     /* events change no state, see mp_sched_lost() */
	int64_t paid, spent; /* by events and for losses, in units of schedstate.c */

	/* totals of all captures */
	uint64_t misfits;    /* events that prove that others are missing */
	uint64_t unknown_ns; /* unknown time of CPUs */
};

/* The CPU of this number, created if necessary; the state of a new one is unknown. */
struct mp_sched_cpu *mp_sched_cpu_of(struct mp_sched *s, int32_t cpu);

/* The name of a task; p == NULL: unknown. */
struct mp_str mp_sched_name_of(const struct mp_sched_task *t);

/* The span of a task, without the members that only some states have; and writes a span. */
struct mp_sched_span mp_sched_task_span(struct mp_sched *s, struct mp_sched_task *t,
					enum mp_sched_state state, uint64_t now);
void mp_sched_write(struct mp_sched *s, struct mp_sched_span *span);

/* Writes the span of a CPU on which no task is known to have run. `e`, which ends it, may be NULL. */
void mp_sched_write_cpu(struct mp_sched *s, size_t cpu, enum mp_sched_state state, uint64_t now,
			const struct mp_sched_event *e, bool cut_end);

/* Begins a state of a task, or an unknown state of a CPU. */
void mp_sched_enter(struct mp_sched *s, struct mp_sched_task *t, enum mp_sched_state state,
		    uint64_t now);
void mp_sched_unsure(struct mp_sched_cpu *c, uint64_t now);

/*
 * Makes the state of the task unknown, from its last event on; if it ran, also the state of its
 * CPU.
 */
void mp_sched_forget(struct mp_sched *s, struct mp_sched_task *t, uint64_t now);

/* Makes the state of a CPU unknown since its last event. */
void mp_sched_forget_cpu(struct mp_sched *s, size_t cpu, uint64_t now);

/* Whether lost events may be some of those that the machine uses. */
bool mp_sched_concerns(const struct mp_ctl *loss);

/*
 * Notes a loss of events that the machine uses; now_ns is the time of the latest event of any
 * machine. States become unknown only at the next event or at the end, so that a loss never makes
 * the capture longer.
 *
 * If there are more losses and tasks than the events can pay for (schedstate.c), all states become
 * unknown at once, and the machine is dark until they can: then all states are unknown up to that
 * event. A dark machine takes nothing from a loss but its number, which may also be reported later.
 */
void mp_sched_lost(struct mp_sched *s, const struct mp_ctl *loss, uint64_t now_ns);
void mp_sched_missed(struct mp_sched *s, uint64_t n);

/*
 * Pays for losses with an event. Returns false if the machine is dark, and the event changes no
 * state.
 */
bool mp_sched_pay(struct mp_sched *s);

/* Applies the losses up to now, at `end_ns` or earlier: before a watermark of that time. */
void mp_sched_apply_losses(struct mp_sched *s, uint64_t end_ns);

/*
 * To be called for each event: the first one begins the capture, and each sets its clock. The clock
 * does not go back: an event that follows the report of a later loss gets the time of that report.
 */
static inline void mp_sched_tick(struct mp_sched *s, uint64_t time_ns)
{
	if (s->n_losses)
		mp_sched_apply_losses(s, UINT64_MAX);
	if (!s->begun) {
		s->begun = true;
		s->begin_ns = s->clear_ns = s->now_ns = time_ns;
	}
	s->now_ns = MP_MAX(s->now_ns, time_ns);
}

#endif
