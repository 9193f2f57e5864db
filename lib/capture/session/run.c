// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/run.h"

#include <sched.h>
#include <unistd.h>

#include "lib/capture/ring/attach.h"
#include "lib/capture/session/header.h"

static void stop_sources(void *arg)
{
	struct mp_record_run *r = arg;

	cap_sources_stop(r->sources);
}

static void start_threads(struct mp_record_run *r, struct mp_record_plan *p,
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
		.realtime = mp_record_drain_priority(p->o),
	};
	struct mp_control_setup control = {
		.rings = &k->rings,
		.of_tasks = !p->whole && !p->o->command,
		.closes_slowly = mp_record_closes_slowly(p),
		.command_fd = p->command.pidfd,
		.signal_fd = r->signal_fd,
		.disabled = stop_sources,
		.arg = r,
	};
	int tid;

	r->drain = mp_drain_start(&drain, &tid);
	mp_pids_add(&k->threads, tid);
	control.drain_tid = tid;
	r->control = mp_control_start(&control, &tid);
	mp_pids_add(&k->threads, tid);
}

/* Tracepoints exclude threads, not processes: now all threads of mp-record are known. */
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
}

/* This thread formats and writes: it has to keep up with the drainer. */
static void be_realtime(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (priority && sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		mp_say("cannot set real-time priority %d: %m", priority);
}

static void prepare_writer(struct mp_record_run *r, struct mp_record_plan *p,
			   struct mp_record_opened *k, struct mp_record_lookup *l)
{
	r->writer = (struct mp_writer){
		.events = &p->events,
		.rings = &k->rings,
		.queue = k->queue,
		.out = r->out,
		.formatter = &l->formatter,
		.tasks = &l->tasks,
		.exclude = &p->o->exclude,
		.names = p->o->names,
		.control = r->control,
		.max_events = p->o->max_events,
		.whole = p->whole,
		.readable = isatty(r->out->fd),
		.stop = stop_recording,
		.tick = show_status,
		.silent = mp_events_all_aggregated(&p->events),
		.sources = r->sources,
		.arg = r,
	};
	mp_writer_init(&r->writer);
	l->formatter.tables = k->bpf_stacks ? &k->tables : NULL;
	be_realtime(p->o->realtime);
	mp_status_line_init(&r->status, !p->o->quiet && !r->writer.readable);
}

void mp_record_write_json(struct mp_record_run *r, json_t *object)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	if (!r->writer.readable)
		mp_writer_put(&r->writer, mp_buf_view(&line));
	mp_out_flush(r->out);
	mp_buf_release(&line);
}

/* A reader that sees the header knows that events are being recorded. */
static void start(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k)
{
	mp_drain_go(r->drain, mp_control_stopped_fd(r->control));
	if (p->processes.n)
		mp_attach_enable(&k->rings);
	else if (!p->target.on_exec)
		mp_rings_enable(&k->rings);
	cap_sources_start(r->sources);
	r->header = mp_record_header(p); /* the recording begins at its time */
	r->writer.from_ns = json_integer_value(json_object_get(r->header, "clock_ns"));
	mp_control_go(r->control, p->o->duration_ns);
	if (!r->writer.silent)
		mp_record_write_json(r, json_incref(r->header));
	if (p->o->command && mp_command_go(&p->command) < 0) {
		mp_say("cannot run '%s': %m", p->command.name);
		r->command_failed = true;
		mp_control_stop(r->control);
		return;
	}
	cap_sources_begin(r->sources);
}

void mp_record_run(struct mp_record_run *r, struct mp_record_plan *p, struct mp_record_opened *k,
		   struct mp_record_lookup *l)
{
	r->sources = &k->sources;
	start_threads(r, p, k);
	set_filters(k, p);
	prepare_writer(r, p, k, l);
	start(r, p, k);
	mp_writer_run(&r->writer);
	mp_drain_free(r->drain);
	r->drain = NULL;
	mp_status_line_clear(&r->status);
}

void mp_record_run_release(struct mp_record_run *r)
{
	mp_control_end(r->control);
	json_decref(r->header);
	mp_writer_release(&r->writer);
	close(r->signal_fd);
}
