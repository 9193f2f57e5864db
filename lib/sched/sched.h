/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of the scheduler: events in order of time to spans, each a stretch of time that
 * a task spent in one state, or that a CPU was idle. One machine is one host.
 *
 * Two things always hold (tests/fuzz/sched.c asserts them). The spans with a CPU follow one another
 * without gap or overlap from the first event to the end, for each CPU. So do the spans of a task
 * from its first one to its last. What is not known is a span too: MP_SCHED_UNKNOWN.
 * Includes intmap, schedin.
 */
#ifndef MP_SCHED_SCHED_H
#define MP_SCHED_SCHED_H

#include "lib/core/intmap.h"
#include "lib/sched/schedin.h"

struct mp_sched_waker {
	int32_t tid; /* -1: nobody is known */
	bool has_comm;
	struct mp_buf comm;
};

/* A task: a thread. */
struct mp_sched_task {
	struct mp_sched_task *prev, *next; /* of all, in the order they were first seen */
	void *user;			   /* the caller's; NULL at first */
	int32_t tid, pid;		   /* pid -1: not known */
	int32_t prio;			   /* or MP_SCHED_NO_PRIO */
	enum mp_sched_state state;
	bool cut; /* it was in this state before since_ns already */
	bool exiting;
	uint64_t since_ns;
	uint64_t lost;	     /* the machine's, at since_ns */
	int32_t cpu;	     /* where it runs, waits, or ran last; -1: not known */
	int32_t last_cpu;    /* where it ran last; -1: not known */
	uint32_t moves;	     /* times it ran on another CPU than before */
	uint32_t migrations; /* times the kernel said that it was moved */
	bool has_comm;
	struct mp_buf comm, stack;
	struct mp_sched_waker waker;
};

struct mp_sched_span {
	enum mp_sched_state state;
	uint64_t from_ns, to_ns;
	struct mp_sched_task *task; /* NULL: a CPU's own: idle, or unknown */
	int32_t cpu;		    /* it took this CPU's time; -1: none */
	int32_t to_cpu;		    /* of one that waited: where it runs now; -1 */
	bool cut_begin, cut_end;
	enum mp_sched_state was;  /* of unknown */
	enum mp_sched_state then; /* what the task goes to; UNKNOWN if it is cut */
	uint64_t lost;
	const struct mp_sched_waker *waker; /* or NULL */
	int32_t next_tid;		    /* -1: not known */
	struct mp_str next_comm;	    /* p == NULL: not known */
	struct mp_str stack;		    /* p == NULL: none */
};

/* What the caller does with spans; valid for the call. */
struct mp_sched_sink {
	void (*span)(void *arg, const struct mp_sched_span *span);
	void (*gone)(void *arg, struct mp_sched_task *task); /* may be NULL; last word of a task */
	void *arg;
};

struct mp_sched_cpu {
	enum { MP_CPU_ABSENT, MP_CPU_UNSURE, MP_CPU_IDLE, MP_CPU_BUSY } what;
	bool cut;
	uint64_t since_ns; /* of UNSURE and IDLE */
	struct mp_sched_task *task;
};

struct mp_sched {
	struct mp_sched_sink sink;
	bool begun;
	uint64_t begin_ns, now_ns;
	uint64_t clear_ns; /* since then no event was lost */
	uint64_t lost;
	bool has_wakeups, has_births; /* such events are recorded */
	bool context_differs;	      /* tid counts in another pid namespace than the payload */
	struct mp_sched_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct mp_intmap by_tid; /* -> struct mp_sched_task */
	struct mp_sched_task *first, *last;

	/* over all captures */
	uint64_t misfits;    /* events that showed that others are missing */
	uint64_t unknown_ns; /* of CPUs */
};

void mp_sched_init(struct mp_sched *s, const struct mp_sched_sink *sink);
void mp_sched_release(struct mp_sched *s); /* no spans; mp_sched_end() first */

/* Says that the input has events of this kind, before the first of them comes. */
void mp_sched_expect(struct mp_sched *s, enum mp_sched_what what);

/*
 * Any event at all: the capture begins with the first, and its clock goes on. It does not go back:
 * an event that comes behind a loss that it precedes happens when the loss was told.
 */
static inline void mp_sched_tick(struct mp_sched *s, uint64_t time_ns)
{
	if (!s->begun) {
		s->begun = true;
		s->begin_ns = s->clear_ns = s->now_ns = time_ns;
	}
	s->now_ns = MP_MAX(s->now_ns, time_ns);
}

/* An event. 0, or -1 with `*why`: nothing was changed. */
int mp_sched_event(struct mp_sched *s, const struct mp_sched_event *e, const char **why);

/* `n` events were lost before `time_ns` on a CPU, or, -1, on any. */
void mp_sched_lost(struct mp_sched *s, uint64_t n, uint64_t time_ns, int cpu);

/*
 * The capture is over, at `time_ns` or with its last event, whichever is later: writes what lasts,
 * by CPU and then by tid, and forgets everything but the counts. The next event begins a new one.
 */
void mp_sched_end(struct mp_sched *s, uint64_t time_ns);

/* "run", "wait" ... and back; -1 if it is none. */
const char *mp_sched_state_name(enum mp_sched_state state);
int mp_sched_state_parse(struct mp_str name, enum mp_sched_state *state);

#endif
