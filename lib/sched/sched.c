// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/sched.h"

#include <stdlib.h>

static const char *const state_names[MP_SCHED_STATES] = {
	"run", "guest", "wait", "preempted", "sleep", "block", "stopped", "idle", "unknown",
};

const char *mp_sched_state_name(enum mp_sched_state state)
{
	/* a task that is MP_SCHED_NEW is not runnable yet */
	return state < MP_SCHED_STATES ? state_names[state] : "wait";
}

int mp_sched_state_parse(struct mp_str name, enum mp_sched_state *state)
{
	size_t i;

	for (i = 0; i < MP_SCHED_STATES; i++) {
		if (!mp_str_eq(name, mp_str(state_names[i])))
			continue;
		*state = (enum mp_sched_state)i;
		return 0;
	}
	return -1;
}

void mp_sched_init(struct mp_sched *s, const struct mp_sched_sink *sink)
{
	*s = (struct mp_sched){ .sink = *sink };
	mp_sched_tasks_init(&s->tasks);
}

void mp_sched_release(struct mp_sched *s)
{
	mp_sched_tasks_release(&s->tasks);
	free(s->cpus);
	free(s->losses);
}

void mp_sched_filter(struct mp_sched *s, enum mp_sched_what what, const char *filter)
{
	s->seen.filters[what] = filter;
	s->filtered |= what == MP_SCHED_SWITCH;
}

void mp_sched_expect(struct mp_sched *s, enum mp_sched_what what)
{
	s->seen.recorded[what] = true;
	if (s->filtered || s->seen.filters[what])
		return;
	if (what == MP_SCHED_WAKING || what == MP_SCHED_WAKEUP)
		s->has_wakeups = true;
	if (what == MP_SCHED_WAKEUP_NEW || what == MP_SCHED_FORK)
		s->has_births = true;
}

static void end_task(struct mp_sched *s, struct mp_sched_task *t)
{
	if (s->sink.gone)
		s->sink.gone(s->sink.arg, t);
	mp_sched_task_free(&s->tasks, t);
}

/*
 * Handles an event that shows that the state of its task had ended before, unseen. That is a misfit
 * if the filter selects the task by its id, but not if it selects by name, since a task may change
 * its name at any time.
 */
static void lose_track(struct mp_sched *s, struct mp_sched_task *t, uint64_t now)
{
	s->misfits += mp_sched_sees_end(&s->seen, t->state, t->tid, (struct mp_str){ NULL, 0 });
	mp_sched_forget(s, t, now);
}

/* Does nothing if the task is NULL. */
static void forget_and_end(struct mp_sched *s, struct mp_sched_task *t, uint64_t now)
{
	if (!t)
		return;
	mp_sched_forget(s, t, now);
	end_task(s, t);
}

/* --- switch ----------------------------------------------------------------------------------- */

/*
 * Whether the task can have run on a CPU since the state of that CPU became unknown: it had no
 * event in between.
 */
static bool ran_since(const struct mp_sched_task *t, const struct mp_sched_cpu *c)
{
	return t->state == MP_SCHED_UNKNOWN && t->since_ns == c->since_ns;
}

static struct mp_sched_task *new_task(struct mp_sched *s, int32_t tid, enum mp_sched_state state,
				      uint64_t since)
{
	struct mp_sched_task *t = mp_sched_task_new(&s->tasks, tid);

	mp_sched_enter(s, t, state, since);
	return t;
}

/*
 * Assumes that a task has run on a CPU whose state was unsure. Returns NULL if the task was
 * elsewhere in the meantime.
 */
static struct mp_sched_task *assume_running(struct mp_sched *s, int32_t cpu, int32_t tid)
{
	struct mp_sched_cpu *c = &s->cpus[cpu];
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, tid);

	if (t && !ran_since(t, c))
		return NULL;
	if (!t)
		t = new_task(s, tid, MP_SCHED_RUN, c->since_ns);
	mp_sched_enter(s, t, MP_SCHED_RUN, c->since_ns);
	t->cut = true;
	t->cpu = t->last_cpu = cpu;
	*c = (struct mp_sched_cpu){ MP_CPU_BUSY, false, 0, c->gap_ns, t };
	return t;
}

/* Notes that switches are missing on the CPU of an event. */
static void note_gap(struct mp_sched *s, const struct mp_sched_event *e)
{
	s->misfits++;
	s->cpus[e->cpu].gap_ns = e->time_ns;
}

/*
 * The state of a task, as far as it is known. One that waits for a CPU on which switches are
 * missing may have run since, unseen: most often because a filter selected the switches of other
 * tasks.
 */
static enum mp_sched_state known_state(const struct mp_sched *s, const struct mp_sched_task *t)
{
	bool waits = t->state == MP_SCHED_WAIT || t->state == MP_SCHED_PREEMPTED;

	return waits && t->cpu >= 0 && (size_t)t->cpu < s->n_cpus &&
			       s->cpus[t->cpu].gap_ns > t->since_ns
		       ? MP_SCHED_UNKNOWN
		       : t->state;
}

/* Handles a switch-out of a task that was not known to run on this CPU: events are missing. */
static struct mp_sched_task *misfit(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t;

	note_gap(s, e);
	mp_sched_forget_cpu(s, e->cpu, e->time_ns);
	t = mp_sched_task_find(&s->tasks, e->task);
	if (t)
		mp_sched_forget(s, t, e->time_ns);
	else
		t = new_task(s, e->task, MP_SCHED_UNKNOWN, e->time_ns);
	return t;
}

/*
 * With a filter: the task that is switched out, under the name that the switch gives. Returns NULL
 * if its state is not known from now on.
 */
static struct mp_sched_task *selected_out(struct mp_sched *s, const struct mp_sched_event *e,
					  enum mp_sched_state state)
{
	struct mp_sched_cpu *c = &s->cpus[e->cpu];
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, e->task);

	if (c->what == MP_CPU_BUSY && c->task != t)
		lose_track(s, c->task, e->time_ns);
	if (!t && mp_sched_sees_end(&s->seen, state, e->task, e->task_comm))
		t = new_task(s, e->task, MP_SCHED_UNKNOWN, e->time_ns);
	if (!t)
		return NULL;
	mp_sched_task_name(t, e->task_comm, e->task_prio);
	if (t->state != MP_SCHED_RUN || t->cpu != e->cpu ||
	    !mp_sched_sees_outs(&s->seen, t->tid, mp_sched_name_of(t)))
		lose_track(s, t, e->time_ns);
	else
		mp_sched_unsure(c, e->time_ns);
	return t;
}

static void end_idle(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_cpu *c = &s->cpus[e->cpu];

	if (s->filtered) {
		if (c->what == MP_CPU_BUSY)
			lose_track(s, c->task, e->time_ns);
	} else if (c->what == MP_CPU_BUSY) {
		note_gap(s, e);
		mp_sched_forget_cpu(s, e->cpu, e->time_ns);
	} else {
		mp_sched_write_cpu(s, e->cpu, MP_SCHED_IDLE, e->time_ns, e, false);
	}
}

/* Switches the previous task out. */
static void switch_out(struct mp_sched *s, const struct mp_sched_event *e,
		       enum mp_sched_state state)
{
	struct mp_sched_cpu *c = &s->cpus[e->cpu];
	struct mp_sched_task *t = NULL;
	struct mp_sched_span span;

	if (s->filtered)
		t = selected_out(s, e, state);
	else if (c->what == MP_CPU_BUSY && c->task->tid == e->task)
		t = c->task;
	else if (c->what == MP_CPU_UNSURE)
		t = assume_running(s, e->cpu, e->task);
	if (!t && s->filtered)
		return;
	if (!t)
		t = misfit(s, e);
	mp_sched_task_name(t, e->task_comm, e->task_prio);
	if (e->tid == e->task && e->pid >= 0)
		t->pid = e->pid;
	if (t->state == MP_SCHED_RUN) {
		span = mp_sched_task_span(s, t, MP_SCHED_RUN, e->time_ns);
		span.then = state;
		span.next_tid = e->next;
		span.next_comm = e->next_comm;
		mp_sched_write(s, &span);
	}
	mp_sched_enter(s, t, state, e->time_ns);
	t->cpu = t->last_cpu = e->cpu;
	t->waker.tid = -1;
	if (state == MP_SCHED_DEAD)
		end_task(s, t);
	else if (e->stack.p)
		mp_buf_str(&t->stack, e->stack);
}

/* Writes what the task did before it got the CPU. */
static void end_wait(struct mp_sched *s, struct mp_sched_task *t, const struct mp_sched_event *e)
{
	struct mp_sched_span span;
	enum mp_sched_state state = known_state(s, t);

	if (state == MP_SCHED_RUN) {
		s->misfits++;
		mp_sched_forget(s, t, e->time_ns);
		return;
	}
	if (state == MP_SCHED_NEW || (t->state == MP_SCHED_UNKNOWN && s->has_wakeups))
		state = MP_SCHED_WAIT;
	span = mp_sched_task_span(s, t, state, e->time_ns);
	span.was = t->state;
	span.then = MP_SCHED_RUN;
	if (state == MP_SCHED_WAIT || state == MP_SCHED_PREEMPTED)
		span.to_cpu = e->cpu;
	if (state == MP_SCHED_WAIT)
		span.waker = &t->waker;
	if (state == MP_SCHED_UNKNOWN)
		span.stack = (struct mp_str){ NULL, 0 };
	mp_sched_write(s, &span);
}

/* With a filter: switches the next task in. */
static void switch_in_selected(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, e->next);

	bool runs = mp_sched_sees_outs(&s->seen, e->next, e->next_comm);

	if (!e->next || (!runs && (!t || t->state == MP_SCHED_UNKNOWN)))
		return;
	if (!t)
		t = new_task(s, e->next, MP_SCHED_UNKNOWN, e->time_ns);
	mp_sched_task_name(t, e->next_comm, e->next_prio);
	if (t->state == MP_SCHED_RUN || !mp_sched_sees_ins(&s->seen, t->tid, mp_sched_name_of(t)))
		lose_track(s, t, e->time_ns);
	end_wait(s, t, e);
	t->moves += t->last_cpu >= 0 && t->last_cpu != e->cpu;
	t->cpu = t->last_cpu = e->cpu;
	mp_sched_enter(s, t, MP_SCHED_RUN, e->time_ns);
	if (t->state != MP_SCHED_RUN)
		return;
	mp_sched_write_cpu(s, e->cpu, MP_SCHED_UNKNOWN, e->time_ns, NULL, false);
	s->cpus[e->cpu] = (struct mp_sched_cpu){ MP_CPU_BUSY, false, 0, 0, t };
}

/* Switches the next task in. */
static void switch_in(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_cpu *c = &s->cpus[e->cpu];
	struct mp_sched_task *t;

	if (e->next == 0) {
		*c = (struct mp_sched_cpu){ MP_CPU_IDLE, false, e->time_ns, c->gap_ns, NULL };
		return;
	}
	t = mp_sched_task_find(&s->tasks, e->next);
	if (!t) {
		bool complete = s->has_wakeups && s->has_births;

		t = new_task(s, e->next, MP_SCHED_UNKNOWN, complete ? s->clear_ns : e->time_ns);
		t->cut = true;
	}
	mp_sched_task_name(t, e->next_comm, e->next_prio);
	end_wait(s, t, e);
	mp_sched_enter(s, t, MP_SCHED_RUN, e->time_ns);
	t->moves += t->last_cpu >= 0 && t->last_cpu != e->cpu;
	t->cpu = t->last_cpu = e->cpu;
	*c = (struct mp_sched_cpu){ MP_CPU_BUSY, false, 0, c->gap_ns, t };
}

static int handle_switch(struct mp_sched *s, const struct mp_sched_event *e, const char **why)
{
	struct mp_sched_task *t = e->task ? mp_sched_task_find(&s->tasks, e->task) : NULL;
	enum mp_sched_state state = MP_SCHED_IDLE;

	if (e->task && mp_sched_prev_state(e->state, t && t->exiting, &state) < 0) {
		*why = "sched_switch with an unknown prev_state";
		return -1;
	}
	s->context_differs |= e->tid >= 0 && e->tid != e->task;
	if (e->task)
		switch_out(s, e, state);
	else
		end_idle(s, e);
	if (s->filtered)
		switch_in_selected(s, e);
	else
		switch_in(s, e);
	return 0;
}

/* --- other events ----------------------------------------------------------------------------- */

/*
 * Whether a task other than this one was last switched in on the CPU, so that a switch is missing.
 */
static bool is_other(const struct mp_sched_cpu *c, int32_t tid)
{
	return (c->what == MP_CPU_BUSY && c->task->tid != tid) || (c->what == MP_CPU_IDLE && tid);
}

/* Learns from any event which task has its CPU, if no switch has shown it. */
static void learn_current(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_cpu *c = mp_sched_cpu_of(s, e->cpu);
	struct mp_sched_task *t;

	if (e->tid < 0 || s->context_differs)
		return;
	if (s->filtered) {
		if (c->what == MP_CPU_BUSY && c->task->tid != e->tid)
			lose_track(s, c->task, e->time_ns);
		return;
	}
	if (is_other(c, e->tid)) {
		note_gap(s, e);
		mp_sched_forget_cpu(s, e->cpu, e->time_ns);
	}
	if (c->what == MP_CPU_UNSURE && e->tid == 0) {
		c->what = MP_CPU_IDLE;
	} else if (c->what == MP_CPU_UNSURE) {
		t = mp_sched_task_find(&s->tasks, e->tid);
		if (t && !ran_since(t, c)) {
			mp_sched_forget_cpu(s, e->cpu, e->time_ns);
			mp_sched_forget(s, t, e->time_ns);
		}
		assume_running(s, e->cpu, e->tid);
	}
	if (c->what == MP_CPU_BUSY) {
		mp_sched_task_name(c->task, e->comm, MP_SCHED_NO_PRIO);
		c->task->pid = e->pid >= 0 ? e->pid : c->task->pid;
	}
}

/*
 * Creates a task. An old one of the same id must have ended, though no event said so. Returns NULL
 * if the filter does not select it.
 */
static struct mp_sched_task *born(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, e->task);

	s->misfits += t && !s->filtered && t->state != MP_SCHED_UNKNOWN;
	forget_and_end(s, t, e->time_ns);
	if (s->filtered && !mp_sched_sees_ins(&s->seen, e->task, e->task_comm))
		return NULL;
	t = mp_sched_task_new(&s->tasks, e->task);
	mp_sched_task_name(t, e->task_comm, MP_SCHED_NO_PRIO);
	mp_sched_enter(s, t, MP_SCHED_NEW, e->time_ns);
	return t;
}

/*
 * With a filter: whether the state of the task has lasted until now, considering that its name may
 * have changed.
 */
static bool is_known(const struct mp_sched *s, const struct mp_sched_task *t)
{
	return mp_sched_sees_end(&s->seen, t->state, t->tid, mp_sched_name_of(t));
}

static void handle_wakeup(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t = e->task ? mp_sched_task_find(&s->tasks, e->task) : NULL;
	struct mp_sched_span span;

	if (e->task == 0)
		return;
	if (e->what == MP_SCHED_WAKEUP_NEW && (!t || t->state != MP_SCHED_NEW)) {
		t = born(s, e);
	} else if (!t && !s->filtered) {
		t = new_task(s, e->task, MP_SCHED_UNKNOWN, s->clear_ns);
		t->cut = true;
	}
	if (!t)
		return;
	mp_sched_task_name(t, e->task_comm, e->task_prio);
	if (t->state == MP_SCHED_RUN)
		return;
	t->cpu = e->target_cpu >= 0 ? e->target_cpu : t->cpu;
	if (t->state == MP_SCHED_WAIT || t->state == MP_SCHED_PREEMPTED)
		return;
	if (s->filtered && !is_known(s, t)) {
		if (t->state != MP_SCHED_UNKNOWN)
			lose_track(s, t, e->time_ns);
		return;
	}
	mp_sched_task_woken(t, e->tid, e->cpu, e->comm);
	if (t->state != MP_SCHED_NEW) {
		span = mp_sched_task_span(
			s, t, t->state == MP_SCHED_UNKNOWN ? MP_SCHED_SLEEP : t->state, e->time_ns);
		span.then = MP_SCHED_WAIT;
		span.waker = &t->waker;
		mp_sched_write(s, &span);
	}
	mp_sched_enter(s, t, MP_SCHED_WAIT, e->time_ns);
	if (e->stack.p)
		mp_buf_str(&t->stack, e->stack);
}

static void handle_migration(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, e->task);

	if (!t)
		return;
	t->migrations++;
	if (t->state != MP_SCHED_RUN && e->target_cpu >= 0)
		t->cpu = e->target_cpu;
}

/* If a thread other than the first one calls exec, it gets the id of the process. */
static void handle_exec(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *old = e->old > 0 ? mp_sched_task_find(&s->tasks, e->old) : NULL, *t;
	struct mp_sched_span span;
	int32_t cpu;

	if (old && e->old == e->task)
		mp_sched_task_name(old, e->comm, MP_SCHED_NO_PRIO);
	if (e->old == e->task)
		return;
	if (s->filtered) {
		forget_and_end(s, old, e->time_ns);
		forget_and_end(s, mp_sched_task_find(&s->tasks, e->task), e->time_ns);
		return;
	}
	if (!old || old->state != MP_SCHED_RUN)
		return;
	cpu = old->cpu;
	t = mp_sched_task_find(&s->tasks, e->task);
	if (t && t->state == MP_SCHED_RUN)
		return;
	forget_and_end(s, t, e->time_ns); /* exec ended the first thread */
	span = mp_sched_task_span(s, old, MP_SCHED_RUN, e->time_ns);
	span.then = MP_SCHED_DEAD;
	mp_sched_write(s, &span);
	t = new_task(s, e->task, MP_SCHED_RUN, e->time_ns);
	t->cpu = t->last_cpu = cpu;
	t->pid = old->pid;
	t->prio = old->prio;
	mp_sched_task_name(t, e->comm, MP_SCHED_NO_PRIO);
	s->cpus[cpu].task = t;
	end_task(s, old);
}

/*
 * Divides the run of a virtual CPU's task: a guest runs from an entry to the next exit. Before the
 * first exit of a run that began before the capture, only the guest has run. With a filter of these
 * events nothing is known of the guest.
 */
static void handle_guest(struct mp_sched *s, const struct mp_sched_event *e)
{
	struct mp_sched_task *t = mp_sched_task_find(&s->tasks, e->task);
	bool entry = e->what == MP_SCHED_KVM_ENTRY;
	struct mp_sched_span span;

	if (!t || t->state != MP_SCHED_RUN || t->cpu != e->cpu || s->context_differs ||
	    s->seen.filters[MP_SCHED_KVM_ENTRY] || s->seen.filters[MP_SCHED_KVM_EXIT])
		return;
	t->guest |= t->cut && !entry;
	if (t->guest == entry)
		return;
	if (t->since_ns < e->time_ns) {
		span = mp_sched_task_span(s, t, MP_SCHED_RUN, e->time_ns);
		span.then = MP_SCHED_RUN;
		mp_sched_write(s, &span);
	}
	t->since_ns = e->time_ns;
	t->cut = false;
	t->guest = entry;
}

int mp_sched_event(struct mp_sched *s, const struct mp_sched_event *e, const char **why)
{
	struct mp_sched_event delayed;
	struct mp_sched_task *t;

	mp_sched_tick(s, e->time_ns);
	if (e->time_ns < s->now_ns) {
		delayed = *e;
		delayed.time_ns = s->now_ns;
		e = &delayed;
	}
	mp_sched_expect(s, e->what);
	if (!mp_sched_pay(s))
		return 0;
	if (e->what == MP_SCHED_SWITCH) {
		mp_sched_cpu_of(s, e->cpu);
		return handle_switch(s, e, why);
	}
	if (e->cpu >= 0 && e->what != MP_SCHED_EXEC)
		learn_current(s, e);
	switch (e->what) {
	case MP_SCHED_WAKING:
	case MP_SCHED_WAKEUP:
	case MP_SCHED_WAKEUP_NEW:
		handle_wakeup(s, e);
		break;
	case MP_SCHED_MIGRATE:
		handle_migration(s, e);
		break;
	case MP_SCHED_FORK:
		if (e->task > 0)
			born(s, e);
		break;
	case MP_SCHED_EXIT:
		t = mp_sched_task_find(&s->tasks, e->task);
		if (t)
			t->exiting = true;
		break;
	case MP_SCHED_EXEC:
		handle_exec(s, e);
		break;
	case MP_SCHED_KVM_ENTRY:
	case MP_SCHED_KVM_EXIT:
		handle_guest(s, e);
		break;
	default:
		break;
	}
	return 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

static int by_tid(const void *a, const void *b)
{
	int32_t x = (*(struct mp_sched_task *const *)a)->tid;
	int32_t y = (*(struct mp_sched_task *const *)b)->tid;

	return x < y ? -1 : x > y;
}

static void write_last(struct mp_sched *s, struct mp_sched_task *t)
{
	enum mp_sched_state state = t->state == MP_SCHED_NEW ? MP_SCHED_WAIT : known_state(s, t);
	struct mp_sched_span span = mp_sched_task_span(s, t, state, s->now_ns);

	span.was = state == MP_SCHED_UNKNOWN ? t->state : MP_SCHED_UNKNOWN;
	span.cut_end = true;
	span.waker = state == MP_SCHED_WAIT ? &t->waker : NULL;
	if (state == MP_SCHED_RUN || state == MP_SCHED_UNKNOWN)
		span.stack = (struct mp_str){ NULL, 0 };
	mp_sched_write(s, &span);
}

static void end_tasks(struct mp_sched *s)
{
	struct mp_sched_task **tasks =
		mp_alloc((s->tasks.by_tid.n + 1) * sizeof(struct mp_sched_task *));
	struct mp_sched_task *t;
	size_t n = 0, i;

	for (t = s->tasks.first; t; t = t->next)
		tasks[n++] = t;
	qsort(tasks, n, sizeof(struct mp_sched_task *), by_tid);
	for (i = 0; i < n; i++) {
		if (tasks[i]->state != MP_SCHED_RUN)
			write_last(s, tasks[i]);
		end_task(s, tasks[i]);
	}
	free(tasks);
}

/*
 * With a filter by names, the task may have changed its name, and then have been switched out
 * unseen.
 */
static bool is_still_running(const struct mp_sched *s, const struct mp_sched_task *t)
{
	return !s->filtered || mp_sched_sees_outs(&s->seen, t->tid, (struct mp_str){ NULL, 0 });
}

void mp_sched_end(struct mp_sched *s, uint64_t time_ns)
{
	struct mp_sched_cpu *c;
	size_t i;

	if (s->begun) {
		mp_sched_apply_losses(s, time_ns);
		s->now_ns = MP_MAX(s->now_ns, time_ns);
	}
	for (i = 0; i < s->n_cpus; i++) {
		c = &s->cpus[i];
		if (c->what == MP_CPU_BUSY && !is_still_running(s, c->task))
			mp_sched_forget_cpu(s, i, s->now_ns);
		else if (c->what == MP_CPU_BUSY)
			write_last(s, c->task);
		else if (c->what != MP_CPU_ABSENT)
			mp_sched_write_cpu(
				s, i, c->what == MP_CPU_IDLE ? MP_SCHED_IDLE : MP_SCHED_UNKNOWN,
				s->now_ns, NULL, true);
	}
	end_tasks(s);
	s->n_cpus = 0;
	s->begun = s->has_wakeups = s->has_births = s->context_differs = s->filtered = false;
	s->dark = false;
	s->paid = s->spent = 0;
	s->seen = (struct mp_sched_seen){ 0 };
	s->lost = 0;
}
