// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/run.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/ring/attach.h"
#include "lib/capture/session/handover.h"
#include "lib/capture/session/header.h"
#include "lib/capture/session/writer.h"

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

	if (r->drain)
		cap_sources_tick(r->sources, mp_drain_settled(r->drain));
}

static void show(void *arg, uint64_t written, uint64_t lost)
{
	struct mp_record_run *r = arg;

	mp_status_line_show(&r->status, written, lost, mp_rotation_files(r->rotation));
}

static void hand_over(struct mp_record_run *r, const struct mp_record_opened *k)
{
	mp_link_hand_over(k->link, &(struct mp_link_handover){ .plan = &r->cut,
							       .output = r->out->fd,
							       .queue = mp_queue_fds(k->queue),
							       .journal = r->journal,
							       .names = r->plan->o->names });
}

static void enable(void *arg)
{
	const struct mp_record_run *r = arg;

	mp_bpf_stacks_start(r->stacks);
	if (r->plan->processes.n)
		mp_attach_enable(r->rings);
	else if (!r->plan->target.on_exec)
		mp_rings_enable(r->rings);
	cap_sources_start(r->sources);
	mp_rings_let_swap(r->rings, &r->plan->events);
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
static void send_start(struct mp_record_run *r, const struct mp_record_plan *p,
		       const struct mp_record_opened *k, const struct mp_control_started *started)
{
	json_t *header = mp_record_header(p, started);

	r->from_ns = started->clock_ns;
	r->header = json_dumps(header, JSON_COMPACT);
	json_decref(header);
	mp_link_go(k->link, r->from_ns, r->header);
}

static void start(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	struct mp_control_setup setup = {
		.rings = &k->rings,
		.of_tasks = !p->whole && !p->o->command,
		.attached = p->processes.n > 0,
		.closes_slowly = mp_record_closes_slowly(p),
		.quiet = p->o->quiet,
		.command_fd = p->command.pidfd,
		.drain_tid = r->drain_tid,
		.packer_pid = p->packer,
		.duration_ns = p->o->duration_ns,
		.enable = enable,
		.disabled = stop_sources,
		.arg = r,
	};
	struct mp_control_started started;

	mp_control_set_writer(r->control, mp_link_pid(k->link));
	mp_drain_go(r->drain);
	started = mp_control_go(r->control, &setup);
	send_start(r, p, k, &started);
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

static bool serve(struct mp_record_run *r, const struct mp_record_opened *k)
{
	const struct mp_link_service service = { k->bpf_stacks, stop_recording, tick, show, r };

	return mp_link_serve(k->link, &service) == 0;
}

/* Starts another writer, whose samples are excluded, too. */
static bool replace_writer(struct mp_record_run *r, struct mp_record_opened *k)
{
	mp_control_set_writer(r->control, 0);
	if (mp_link_restart(k->link) < 0)
		return false;
	mp_control_set_writer(r->control, mp_link_pid(k->link));
	mp_pids_add(&r->cut.exclude, mp_link_pid(k->link));
	mp_pids_add(&r->cut.own, mp_link_pid(k->link));
	mp_queue_restart(k->queue);
	mp_bpf_stacks_clear(k->bpf_stacks);
	hand_over(r, k);
	mp_link_go(k->link, r->from_ns, r->header);
	return true;
}

bool mp_record_run_again(struct mp_record_run *r, struct mp_record_opened *k)
{
	do
		if (!replace_writer(r, k))
			return false;
	while (!serve(r, k));
	return true;
}

void mp_record_run(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	r->sources = &k->sources;
	r->rings = &k->rings;
	r->stacks = k->bpf_stacks;
	r->plan = p;
	start_drain(r, p, k);
	set_filters(k, p);
	mp_record_hand_over(p, k, &r->cut);
	r->journal = mp_journal_new(mp_writer_state_bytes(&r->cut, mp_queue_added(k->queue)),
				    mp_writer_more_bytes(&r->cut));
	hand_over(r, k);
	mp_status_line_init(&r->status, !p->o->quiet && !isatty(r->out->fd));
	start(r, p, k);
	if (!serve(r, k) && !mp_record_run_again(r, k))
		give_up(r, k);
	mp_status_line_clear(&r->status);
	mp_drain_free(r->drain);
	r->drain = NULL;
}

void mp_record_run_release(struct mp_record_run *r)
{
	mp_control_end(r->control);
	mp_journal_free(r->journal);
	free(r->header);
	mp_cut_plan_release(&r->cut);
}
