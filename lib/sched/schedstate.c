// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedstate.h"

struct mp_sched_cpu *mp_sched_cpu_of(struct mp_sched *s, int32_t cpu)
{
	struct mp_sched_cpu *c;

	if ((size_t)cpu >= s->n_cpus) {
		s->cpus = mp_grow(s->cpus, &s->cap_cpus, cpu + 1, sizeof(*s->cpus));
		memset(s->cpus + s->n_cpus, 0, (cpu + 1 - s->n_cpus) * sizeof(*s->cpus));
		s->n_cpus = cpu + 1;
	}
	c = &s->cpus[cpu];
	if (c->what == MP_CPU_ABSENT)
		*c = (struct mp_sched_cpu){ MP_CPU_UNSURE, true, s->begin_ns, 0, NULL };
	return c;
}

struct mp_str mp_sched_name_of(const struct mp_sched_task *t)
{
	return t->has_comm ? mp_buf_view(&t->comm) : (struct mp_str){ NULL, 0 };
}

/* --- spans ------------------------------------------------------------------------------------ */

void mp_sched_write(struct mp_sched *s, struct mp_sched_span *span)
{
	/* an empty span at an edge of the capture: skip it */
	if (span->from_ns == span->to_ns && (span->cut_begin || span->state == MP_SCHED_UNKNOWN))
		return;
	if (span->state == MP_SCHED_UNKNOWN && span->cpu >= 0)
		s->unknown_ns += span->to_ns - span->from_ns;
	s->sink.span(s->sink.arg, span);
}

struct mp_sched_span mp_sched_task_span(struct mp_sched *s, struct mp_sched_task *t,
					enum mp_sched_state state, uint64_t now)
{
	return (struct mp_sched_span){
		.state = state == MP_SCHED_RUN && t->guest ? MP_SCHED_GUEST : state,
		.from_ns = t->since_ns,
		.to_ns = now,
		.task = t,
		.cpu = state == MP_SCHED_RUN ? t->cpu : -1,
		.to_cpu = -1,
		.cut_begin = t->cut,
		.then = MP_SCHED_UNKNOWN,
		.lost = state == MP_SCHED_RUN ? 0 : s->lost - t->lost,
		.next_tid = -1,
		.stack = mp_buf_view(&t->stack),
	};
}

void mp_sched_write_cpu(struct mp_sched *s, size_t cpu, enum mp_sched_state state, uint64_t now,
			const struct mp_sched_event *e, bool cut_end)
{
	struct mp_sched_cpu *c = &s->cpus[cpu];
	struct mp_sched_span span = {
		.state = state,
		.from_ns = c->since_ns,
		.to_ns = now,
		.cpu = (int32_t)cpu,
		.to_cpu = -1,
		.cut_begin = c->cut,
		.cut_end = cut_end,
		.was = c->what == MP_CPU_IDLE ? MP_SCHED_IDLE : MP_SCHED_UNKNOWN,
		.then = MP_SCHED_UNKNOWN,
		.next_tid = e ? e->next : -1,
		.next_comm = e ? e->next_comm : (struct mp_str){ NULL, 0 },
	};

	mp_sched_write(s, &span);
}

void mp_sched_enter(struct mp_sched *s, struct mp_sched_task *t, enum mp_sched_state state,
		    uint64_t now)
{
	bool known =
		!s->filtered || mp_sched_sees_end(&s->seen, state, t->tid, mp_sched_name_of(t));

	t->state = known ? state : MP_SCHED_UNKNOWN;
	t->since_ns = now;
	t->cut = !known;
	t->guest = false;
	t->lost = s->lost;
	t->stack.len = 0;
}

void mp_sched_unsure(struct mp_sched_cpu *c, uint64_t now)
{
	*c = (struct mp_sched_cpu){ MP_CPU_UNSURE, true, now, c->gap_ns, NULL };
}

void mp_sched_forget(struct mp_sched *s, struct mp_sched_task *t, uint64_t now)
{
	struct mp_sched_span span = mp_sched_task_span(s, t, MP_SCHED_UNKNOWN, now);

	span.was = t->state;
	span.stack = (struct mp_str){ NULL, 0 };
	if (t->state == MP_SCHED_RUN)
		span.cpu = t->cpu;
	mp_sched_write(s, &span);
	if (t->state == MP_SCHED_RUN)
		mp_sched_unsure(&s->cpus[t->cpu], now);
	mp_sched_enter(s, t, MP_SCHED_UNKNOWN, now);
	t->cut = true;
}

void mp_sched_forget_cpu(struct mp_sched *s, size_t cpu, uint64_t now)
{
	struct mp_sched_cpu *c = &s->cpus[cpu];

	if (c->what == MP_CPU_BUSY) {
		mp_sched_forget(s, c->task, now);
		return;
	}
	mp_sched_write_cpu(s, cpu, MP_SCHED_UNKNOWN, now, NULL, false);
	mp_sched_unsure(c, now);
}

/* --- losses ----------------------------------------------------------------------------------- */

/*
 * What a loss costs: it looks at each task, and writes a span for each that waits or is unknown.
 * Events pay for that, so that many tasks and many losses take time and output in proportion to
 * their sum, not to their product. With these numbers a loss every ten events is paid for if there
 * are 500 tasks, of which three wait.
 */
enum {
	PER_EVENT = 64,
	PER_TASK = 1, /* or CPU */
	PER_SPAN = 32,
	AT_FIRST = 256, /* what a capture has when it begins */
};

bool mp_sched_concerns(const struct mp_ctl *loss)
{
	return loss->cpu <= MP_SCHED_CPU_MAX &&
	       (!loss->type || mp_sched_what(mp_str(loss->type)) != MP_SCHED_OTHER);
}

/* Whether lost events of this kind may have changed a state. */
static bool hides_states(const struct mp_sched *s, enum mp_sched_what what)
{
	return s->filtered || what == MP_SCHED_OTHER || what == MP_SCHED_SWITCH ||
	       what == MP_SCHED_KVM_ENTRY || what == MP_SCHED_KVM_EXIT;
}

static int64_t price(const struct mp_sched *s, const struct mp_sched_loss *l)
{
	if (!hides_states(s, l->what))
		return PER_TASK;
	return (int64_t)(s->tasks.by_tid.n + (l->cpu < 0 ? s->n_cpus : 1)) * PER_TASK;
}

static int64_t price_of_all(const struct mp_sched *s)
{
	return (int64_t)(s->tasks.by_tid.n + s->n_cpus) * (PER_TASK + PER_SPAN);
}

/* Makes the states of all CPUs and all tasks unknown. */
static void forget_all(struct mp_sched *s)
{
	struct mp_sched_task *t;
	size_t i;

	s->spent += price_of_all(s);
	s->clear_ns = s->now_ns;
	for (i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].what != MP_CPU_ABSENT)
			mp_sched_forget_cpu(s, i, s->now_ns);
	for (t = s->tasks.first; t; t = t->next)
		mp_sched_forget(s, t, s->now_ns);
}

/* Makes the machine dark, with a loss and with those that have not been applied yet. */
static void darken(struct mp_sched *s, uint64_t n, uint64_t now_ns)
{
	size_t i;

	s->now_ns = MP_MAX(s->now_ns, now_ns);
	for (i = 0; i < s->n_losses; i++)
		n = mp_count_sum(n, s->losses[i].n);
	s->n_losses = 0;
	s->lost = mp_count_sum(s->lost, n);
	forget_all(s);
	s->dark = true;
}

bool mp_sched_pay(struct mp_sched *s)
{
	s->paid += PER_EVENT;
	if (s->dark && s->paid - s->spent >= price_of_all(s)) {
		forget_all(s);
		s->dark = false;
	}
	return !s->dark;
}

void mp_sched_missed(struct mp_sched *s, uint64_t n)
{
	s->lost = mp_count_sum(s->lost, n);
}

void mp_sched_lost(struct mp_sched *s, const struct mp_ctl *loss, uint64_t now_ns)
{
	struct mp_sched_loss l = {
		.n = loss->lost,
		.time_ns = loss->time_ns,
		.cpu = loss->cpu,
		.what = loss->type ? mp_sched_what(mp_str(loss->type)) : MP_SCHED_OTHER,
	};

	if (!s->begun)
		return;
	if (s->dark) {
		mp_sched_missed(s, l.n);
		return;
	}
	if (AT_FIRST + s->paid - s->spent < price(s, &l)) {
		darken(s, l.n, now_ns);
		return;
	}
	s->spent += price(s, &l);
	s->losses = mp_grow(s->losses, &s->cap_losses, s->n_losses + 1, sizeof(*s->losses));
	s->losses[s->n_losses++] = l;
}

/*
 * Makes unknown what the lost switches may have changed. A lost wake-up changes the start of a
 * wait, so it is counted in the spans that it may have ended. With a filter, it may be the only
 * event that would have ended a sleep, so after a loss no task that does not run has a known state.
 */
static void apply_loss(struct mp_sched *s, const struct mp_sched_loss *l)
{
	struct mp_sched_task *t;
	size_t i, end, n = 0;

	s->lost = mp_count_sum(s->lost, l->n);
	s->clear_ns = s->now_ns;
	if (!hides_states(s, l->what))
		return;
	if (l->cpu >= 0)
		mp_sched_cpu_of(s, l->cpu);
	i = l->cpu < 0 ? 0 : (size_t)l->cpu;
	end = l->cpu < 0 ? s->n_cpus : i + 1;
	for (; i < end; i++) {
		if (s->cpus[i].what == MP_CPU_ABSENT)
			continue;
		mp_sched_forget_cpu(s, i, s->now_ns);
		n++;
	}
	for (t = s->tasks.first; t; t = t->next) {
		bool waits = t->state == MP_SCHED_WAIT || t->state == MP_SCHED_PREEMPTED ||
			     t->state == MP_SCHED_NEW;

		if (!s->filtered && t->state != MP_SCHED_UNKNOWN &&
		    !(waits && (l->cpu < 0 || t->cpu == l->cpu)))
			continue;
		mp_sched_forget(s, t, s->now_ns);
		n++;
	}
	s->spent += (int64_t)n * PER_SPAN;
}

void mp_sched_apply_losses(struct mp_sched *s, uint64_t end_ns)
{
	size_t i;

	for (i = 0; i < s->n_losses; i++) {
		s->now_ns = MP_MAX(s->now_ns, MP_MIN(s->losses[i].time_ns, end_ns));
		apply_loss(s, &s->losses[i]);
	}
	s->n_losses = 0;
}
