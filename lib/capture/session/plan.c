// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/plan.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/bpf/bpfcalls.h"
#include "lib/capture/bpf/bpftracing.h"
#include "lib/capture/event/call.h"
#include "lib/capture/event/merge.h"
#include "lib/capture/event/program.h"
#include "lib/capture/event/resolve.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track.h"
#include "lib/capture/session/collector.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/sources.h"
#include "lib/core/clock.h"

static void check_permissions(struct mp_record_plan *p)
{
	struct mp_record_options *o = p->o;
	bool own = o->pids.n || o->tids.n || (o->command && !o->system_wide);

	if (!own && !mp_perf_may_system())
		mp_die("%s", mp_perf_advice("recording the whole system"));
	if (mp_perf_may_kernel())
		return;
	o->events.exclude_kernel = true;
	o->events.stack &= ~MP_STACK_KERNEL;
}

/*
 * Refuses a /proc that belongs to another pid namespace: tasks and their code are looked up there
 * by the ids that perf reports, which are those of our namespace.
 */
static void check_proc(void)
{
	char text[32];
	ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);

	text[MP_MAX(n, 0)] = '\0';
	if (n > 0 && strtol(text, NULL, 10) != getpid())
		mp_die("/proc belongs to another pid namespace (mount -t proc proc /proc)");
}

/* Adds the collectors. One that cannot start does not stop the others. */
static void resolve_collectors(struct mp_record_plan *p)
{
	struct mp_buf remain = { NULL, 0, 0 };
	size_t failed;
	char **name;

	for (name = p->o->collectors; name && *name; name++) {
		failed = mp_collector_resolve(*name, &p->events, &p->o->events, &p->tracefs);
		p->collectors_failed += failed;
		if (!failed)
			mp_buf_printf(&remain, " %s", *name);
	}
	if (p->collectors_failed && !p->events.n && !p->o->specs.n)
		mp_die("there is nothing left to record");
	if (p->collectors_failed && remain.len)
		mp_say("recording the remaining collectors:%.*s",
		       MP_STR_ARGS(mp_buf_view(&remain)));
	mp_buf_release(&remain);
}

/* Whether the command itself is recorded, instead of only limiting the time. */
static bool is_command_target(const struct mp_record_options *o)
{
	return o->command && !o->system_wide && !o->n_cgroups && !o->tids.n && !o->pids.n;
}

/* The context fields by which the counts of an interval are broken down. */
static unsigned count_context(const struct mp_record_options *o)
{
	if (o->n_cgroups)
		return MP_CTX_CGROUP;
	if (o->tids.n)
		return MP_CTX_TASK;
	return o->pids.n || (o->command && !o->system_wide) ? MP_CTX_PID | MP_CTX_COMM : MP_CTX_CPU;
}

/* Refuses an option that applies to none of the events, since it would be ignored. */
static void check_rates(const struct mp_record_plan *p)
{
	bool reads = false, by_freq = false, by_period = false;
	size_t i;

	for (i = 0; i < p->events.n; i++) {
		const struct mp_event *e = &p->events.v[i];

		reads |= mp_event_is_read(e);
		by_freq |= e->rated && e->attr.freq;
		by_period |= e->rated;
	}
	if (p->o->events.freq_given && !by_freq)
		mp_die("--freq is only for clocks and hardware events (for others: EVENT/freq=HZ/)");
	if (p->o->events.period && !by_period)
		mp_die("--period is only for clocks, software and hardware events, tracepoints and "
		       "probes that are recorded");
	if (p->o->interval_ns && !reads)
		mp_die("--interval is only for --stat, stat:* and mem:*");
}

static void resolve_events(struct mp_record_plan *p)
{
	struct mp_events own = { .v = NULL };
	const char *usual = mp_pmu_has_hardware() ? "cycles" : "cpu-clock";
	char *error;
	size_t i;

	p->o->events.cgroup = p->o->n_cgroups > 0;
	p->o->events.inherit = p->o->pids.n || is_command_target(p->o);
	p->o->events.interval_ns = p->o->interval_ns;
	p->o->events.count_context = count_context(p->o);
	resolve_collectors(p);
	if (!p->o->specs.n && !p->events.n &&
	    mp_specs_parse(&p->o->specs, usual, cap_sources_parse, &error) < 0)
		mp_die("%s", error);
	if (mp_events_resolve(&own, &p->o->specs, cap_sources, &p->o->events, &p->tracefs, &error) <
	    0) {
		/* so that its probes are removed with the others */
		mp_events_merge(&p->events, &own);
		mp_die("%s", error);
	}
	mp_events_merge(&p->events, &own);
	mp_events_release(&own);
	if (p->o->max_events && mp_events_all_aggregated(&p->events))
		mp_die("--events cannot be combined with in-kernel aggregation, which has no "
		       "events to count");
	for (i = 0; i < p->events.n; i++) {
		const struct mp_event *e = &p->events.v[i];

		if (e->agg && mp_record_rotates(p->o))
			mp_die("--rotate cannot be combined with in-kernel aggregation, which "
			       "writes its result once, at the end");
		if (e->agg) {
			p->user_stacks |= e->agg->rule.user;
			p->kernel_stacks |= e->agg->rule.kernel;
		}
		if (!(e->context & MP_CTX_STACK))
			continue;
		p->user_stacks |= e->method != MP_METHOD_UNSET;
		p->copies |= e->method == MP_METHOD_CFI;
		p->kernel_stacks |= !e->attr.exclude_callchain_kernel;
	}
	check_rates(p);
}

/*
 * Finds the processes of -p, with those that they started. mp_attach() finds their threads. Those
 * of mp-record are not among them, even if one of the processes has started it (-p $$): their
 * events would be recorded only to be excluded.
 */
static void find_processes(struct mp_record_plan *p)
{
	struct mp_pids *pids = &p->processes;
	size_t i;

	for (i = 0; i < p->o->pids.n; i++) {
		if (kill(p->o->pids.v[i], 0) < 0 && errno == ESRCH)
			mp_die("no process %d", (int)p->o->pids.v[i]);
		mp_pids_add(pids, p->o->pids.v[i]);
	}
	mp_proc_add_children(pids);
	/* a process that the user names stays: without any, the target would be the whole system */
	for (i = 0; i < p->own.n; i++)
		if (!mp_pids_has(&p->o->pids, p->own.v[i]))
			mp_pids_remove(pids, p->own.v[i]);
	p->target.inherit = true;
}

/*
 * Marks the events that collectors need from the whole system, even if only some tasks are
 * recorded.
 */
static void widen(struct mp_record_plan *p)
{
	bool narrow = !p->whole || p->target.n_cgroups || p->o->cpus;
	struct mp_buf types = { NULL, 0, 0 };
	size_t i;

	p->everyone = p->whole;
	for (i = 0; i < p->events.n; i++) {
		if (!p->events.v[i].wide)
			continue;
		p->everyone = true;
		mp_buf_printf(&types, "%s%s", types.len ? ", " : "", p->events.v[i].type);
	}
	if (types.len && narrow && !p->o->quiet)
		mp_say("%.*s: %s", MP_STR_ARGS(mp_buf_view(&types)),
		       p->o->cpus ? "those that happen on other CPUs are missing"
				  : "recorded for the whole system, since these happen in the "
				    "context of any task (mp-select(1) selects afterwards)");
	mp_buf_release(&types);
}

static bool is_permitted(const struct mp_event *e, const struct mp_event_program *program)
{
	struct mp_event trial = *e;
	char *error;

	trial.tracing = program->tracing;
	trial.tp = program->tp ? program->tp : e->tp;
	if (mp_tracings_try(&trial, &error) == 0)
		return true;
	/* not an error: the tracepoints themselves can be recorded, with little more loss */
	free(error);
	return false;
}

/*
 * Lets BPF programs record the events that may occur on idle CPUs, unless only tasks are recorded:
 * an idle CPU runs none of them.
 */
static void use_programs(struct mp_record_plan *p)
{
	bool everywhere = p->whole && !p->target.n_cgroups, permitted = false;
	struct mp_event_program program;
	struct mp_event *e;

	for (e = p->events.v; e < p->events.v + p->events.n; e++) {
		if (!(everywhere || e->wide) || !mp_event_find_program(e, &program))
			continue;
		if (!permitted && !is_permitted(e, &program)) {
			mp_event_program_release(&program);
			break;
		}
		permitted = true;
		mp_event_use_program(e, &program);
	}
}

/* Lets a BPF program record the system calls that have texts as arguments. */
static void use_calls(struct mp_record_plan *p)
{
	const struct mp_record_options *o = p->o;
	struct mp_bpf_target target = {
		.processes = p->whole || p->target.on_exec ? NULL
			     : p->processes.n		   ? &p->processes
							   : &o->tids,
		.threads = o->tids.n > 0,
		.command = p->target.on_exec ? p->command.pid : 0,
		.cgroups = p->target.cgroups,
		.n_cgroups = p->target.n_cgroups,
		.exclude = &o->exclude,
	};

	size_t i;

	p->calls = mp_bpf_calls_load(&p->events, &target, o->quiet);
	for (i = 0; i < p->events.n; i++)
		mp_event_call_filter(&p->events.v[i]);
}

void mp_record_plan_target(struct mp_record_plan *p)
{
	struct mp_record_options *o = p->o;
	struct mp_target *t = &p->target;
	char *error;
	size_t i;
	uint64_t began_ns;
	int n = mp_track_cpus_parse(o->cpus, &t->cpus, &error);

	if (n < 0)
		mp_die("%s", error);
	t->n_cpus = n;
	p->command.pidfd = -1;
	if (o->command)
		mp_command_prepare(&p->command, o->command, p->stdout_taken);
	for (i = 0; i < o->n_cgroups; i++)
		if (mp_target_add_cgroups(t, o->cgroups[i], &error) < 0)
			mp_die("%s", error);
	for (i = 0; i < o->tids.n; i++)
		mp_pids_add(&t->tids, o->tids.v[i]);
	if (o->pids.n) {
		find_processes(p);
	} else if (is_command_target(o)) {
		mp_pids_add(&t->tids, p->command.pid);
		t->inherit = true;
		t->on_exec = true;
	}
	p->whole = t->tids.n == 0 && p->processes.n == 0;
	widen(p);
	began_ns = mp_clock_thread_ns();
	use_programs(p);
	use_calls(p);
	p->bpf_cpu_ns = mp_clock_thread_ns() - began_ns;
}

void mp_record_plan_events(struct mp_record_plan *p, struct mp_record_options *o)
{
	*p = (struct mp_record_plan){ .o = o };
	o->events.files = &mp_link_files;
	check_permissions(p);
	check_proc();
	resolve_events(p);
}

void mp_record_plan_release(struct mp_record_plan *p)
{
	mp_probes_remove(&p->events.probes, p->tracefs);
	mp_events_release(&p->events);
	mp_target_release(&p->target);
	mp_tracefs_close(p->tracefs);
	mp_pids_release(&p->processes);
	mp_pids_release(&p->own);
}
