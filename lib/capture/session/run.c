// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/run.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/ring/attach.h"
#include "lib/capture/session/handover.h"
#include "lib/capture/session/header.h"

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

static void tick(void *arg)
{
	struct mp_record_run *r = arg;

	cap_sources_tick(r->sources, mp_drain_settled(r->drain));
}

static void hand_over(struct mp_record_run *r, const struct mp_record_plan *p,
		      const struct mp_record_opened *k)
{
	const struct mp_queue_fds queue = mp_queue_fds(k->queue);
	const int fds[MP_MESSAGE_FDS] = {
		[MP_MESSAGE_OUTPUT] = r->out->fd,
		[MP_MESSAGE_QUEUE_DATA] = queue.data,
		[MP_MESSAGE_QUEUE_RETURNS] = queue.returns,
	};

	mp_record_hand_over(p, k, &r->cut);
	mp_link_hand_over(k->link, &r->cut, fds, p->o->names);
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

/* Lets the writer write the header; a reader that sees it knows that events are being recorded. */
static void send_start(const struct mp_record_plan *p, const struct mp_record_opened *k,
		       const struct mp_control_started *started)
{
	json_t *header = mp_record_header(p, started);
	struct mp_message_start message = {
		.from_ns = started->clock_ns,
		.header = json_dumps(header, JSON_COMPACT),
	};

	json_decref(header);
	mp_link_go(k->link, &message);
	free(message.header);
}

static void start(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	struct mp_control_setup setup = {
		.rings = &k->rings,
		.of_tasks = !p->whole && !p->o->command,
		.closes_slowly = mp_record_closes_slowly(p),
		.quiet = p->o->quiet,
		.command_fd = p->command.pidfd,
		.drain_tid = r->drain_tid,
		.writer_pid = mp_link_pid(k->link),
		.duration_ns = p->o->duration_ns,
		.enable = enable,
		.disabled = stop_sources,
		.arg = r,
	};
	struct mp_control_started started;

	mp_drain_go(r->drain);
	started = mp_control_go(r->control, &setup);
	send_start(p, k, &started);
	if (p->o->verbose)
		report_start(r, k, &started);
	if (p->o->command && mp_command_go(&p->command) < 0) {
		mp_say("cannot run '%s': %m", p->command.name);
		r->command_failed = true;
		mp_control_stop(r->control);
		return;
	}
	cap_sources_begin(r->sources);
}

/* Ends a recording whose writer has failed. */
static void give_up(struct mp_record_run *r, const struct mp_record_opened *k)
{
	r->unwritten = true;
	mp_queue_abandon(k->queue);
	mp_control_stop(r->control);
}

void mp_record_run(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	const struct mp_link_service service = { k->bpf_stacks, stop_recording, tick, r };

	r->sources = &k->sources;
	r->rings = &k->rings;
	r->plan = p;
	start_drain(r, p, k);
	set_filters(k, p);
	hand_over(r, p, k);
	start(r, p, k);
	if (mp_link_serve(k->link, &service) < 0)
		give_up(r, k);
	mp_drain_free(r->drain);
	r->drain = NULL;
}

void mp_record_run_release(struct mp_record_run *r)
{
	mp_control_end(r->control);
	mp_cut_plan_release(&r->cut);
}
