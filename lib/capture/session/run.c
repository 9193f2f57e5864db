// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/run.h"

#include <unistd.h>

#include "lib/capture/ring/attach.h"
#include "lib/capture/session/handover.h"
#include "lib/capture/session/header.h"
#include "lib/core/clock.h"

static void start_drain(struct mp_record_run *r, struct mp_record_plan *p,
			struct mp_record_opened *k)
{
	struct mp_drain_setup drain = {
		.rings = &k->rings,
		.events = &p->events,
		.track = k->track,
		.bpf_stacks = k->bpf_stacks,
		.stacks = k->stack_stream,
		.grace = k->grace,
		.sources = r->sources,
		.queue = k->queue,
		.counting = k->counting,
		.stop = k->stop_stream,
		.control = r->control,
		.realtime = mp_record_drain_priority(p->o),
	};

	r->drain = mp_drain_start(&drain, &r->drain_tid);
	mp_pids_add(&k->threads, r->drain_tid);
}

/*
 * Sets the filters of tracepoints, which exclude threads, not processes: by now all threads of
 * mp-record are known.
 */
static void set_filters(struct mp_record_opened *k, const struct mp_record_plan *p)
{
	char *error;
	size_t i;

	mp_pids_add(&k->threads, gettid());
	for (i = 0; i < p->o->exclude.n; i++)
		if (p->o->exclude.v[i] != getpid())
			mp_proc_threads(p->o->exclude.v[i], &k->threads);
	if (mp_rings_filter(&k->rings, &p->events, &k->threads, &error) < 0)
		mp_die("%s", error);
}

static void stop_recording(void *arg)
{
	struct mp_record_run *r = arg;

	mp_control_stop(r->control);
}

static void show_status(void *arg)
{
	struct mp_record_run *r = arg;

	cap_sources_tick(r->sources, r->writer.watermark_ns);
	mp_status_line_show(&r->status, r->writer.written, r->writer.lost);
	if (r->writer.live)
		mp_live_show(r->writer.live, r->writer.written, r->writer.lost, false);
}

/*
 * Whether a terminal gets a summary: nobody can read the stacks of all events, unless -n limits
 * them to a few.
 */
static bool wants_summary(const struct mp_cut_plan *p)
{
	size_t i;

	for (i = 0; i < p->events.n && !p->max_events; i++)
		if (p->events.v[i].context & MP_CTX_STACK)
			return true;
	return p->events.n_aggs && !p->max_events;
}

static void attach_reader(struct mp_record_run *r, const struct mp_record_opened *k)
{
	struct mp_queue_fds fds = mp_queue_fds(k->queue);

	r->reader = mp_queue_attach(&fds);
	if (!r->reader)
		mp_die("cannot map the queue: %m");
}

static void prepare_writer(struct mp_record_run *r, struct mp_record_plan *p,
			   struct mp_record_opened *k, struct mp_record_lookup *l)
{
	r->writer = (struct mp_writer){
		.plan = &r->cut,
		.queue = r->reader,
		.out = r->out,
		.formatter = &l->formatter,
		.budget = &l->budget,
		.tasks = &l->tasks,
		.names = p->o->names,
		.readable = isatty(r->out->fd),
		.stop = stop_recording,
		.tick = show_status,
		.arg = r,
	};
	mp_record_hand_over(p, k, &r->cut);
	mp_record_lookup_start(l, &r->cut);
	mp_writer_init(&r->writer);
	l->formatter.tables = k->bpf_stacks ? &k->tables : NULL;
	mp_status_line_init(&r->status, !p->o->quiet && !r->writer.readable);
	if (!r->writer.readable || !wants_summary(&r->cut))
		return;
	mp_live_init(&r->live, r->out, r->cut.with_command, r->cut.events.silent);
	r->writer.live = &r->live;
}

static void enable(void *arg)
{
	const struct mp_record_run *r = arg;

	if (r->plan->processes.n)
		mp_attach_enable(r->rings);
	else if (!r->plan->target.on_exec)
		mp_rings_enable(r->rings);
	cap_sources_start(r->sources);
}

static void stop_sources(void *arg)
{
	const struct mp_record_run *r = arg;

	cap_sources_stop(r->sources);
}

/*
 * Prints the CPU time, for -v and for tests: it depends less on other load than elapsed time does.
 */
static void report_start(const struct mp_record_run *r, const struct mp_record_opened *k,
			 const struct mp_control_started *started)
{
	mp_say("recording after %.1f ms and %.1f ms of CPU time, %.1f ms of it for BPF",
	       (double)(started->clock_ns - r->began_ns) / 1e6, (double)started->cpu_ns / 1e6,
	       (double)k->bpf_cpu_ns / 1e6);
}

/* Writes the header; a reader that sees it knows that events are being recorded. */
static void start(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	struct mp_control_setup setup = {
		.rings = &k->rings,
		.of_tasks = !p->whole && !p->o->command,
		.closes_slowly = mp_record_closes_slowly(p),
		.quiet = p->o->quiet,
		.command_fd = p->command.pidfd,
		.drain_tid = r->drain_tid,
		.duration_ns = p->o->duration_ns,
		.enable = enable,
		.disabled = stop_sources,
		.arg = r,
	};
	struct mp_control_started started;

	mp_drain_go(r->drain);
	started = mp_control_go(r->control, &setup);
	r->writer.from_ns = started.clock_ns;
	r->header = mp_record_header(p, &started);
	if (p->o->verbose)
		report_start(r, k, &started);
	r->writer.header = r->header;
	if (!r->cut.events.silent)
		mp_writer_put_json(&r->writer, json_incref(r->header));
	if (p->o->command && mp_command_go(&p->command) < 0) {
		mp_say("cannot run '%s': %m", p->command.name);
		r->command_failed = true;
		mp_control_stop(r->control);
		return;
	}
	cap_sources_begin(r->sources);
}

/*
 * Reads the tasks that already run. If the whole system is recorded, a process gets its tables for
 * BPF when its first stack comes; processes of the target get them now.
 */
static void scan(struct mp_record_run *r, struct mp_record_opened *k, struct mp_record_lookup *l)
{
	uint64_t began_ns = mp_monotonic_ns();
	size_t i;

	mp_record_lookup_scan(l, &r->cut);
	r->writer.scanned_ns = mp_monotonic_ns();
	for (i = 0; k->bpf_stacks && i < r->cut.found.n; i++)
		mp_walk_tables_update(
			&k->tables,
			mp_tasks_get(&l->tasks, r->cut.found.v[i], r->cut.found.v[i])->process,
			began_ns);
}

void mp_record_run(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k,
		   struct mp_record_lookup *l)
{
	r->sources = &k->sources;
	r->rings = &k->rings;
	r->plan = p;
	start_drain(r, p, k);
	set_filters(k, p);
	attach_reader(r, k);
	prepare_writer(r, p, k, l);
	start(r, p, k);
	scan(r, k, l);
	mp_writer_run(&r->writer);
	mp_drain_free(r->drain);
	r->drain = NULL;
	mp_status_line_clear(&r->status);
}

void mp_record_run_release(struct mp_record_run *r)
{
	mp_control_end(r->control);
	json_decref(r->header);
	if (r->writer.live)
		mp_live_release(r->writer.live);
	mp_writer_release(&r->writer);
	mp_queue_detach(r->reader);
	mp_cut_plan_release(&r->cut);
}
