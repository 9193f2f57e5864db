// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/session/account.h"
#include "lib/capture/event/merge.h"
#include "lib/capture/event/resolve.h"
#include "lib/capture/ring/attach.h"
#include "lib/capture/bpf/bpffilter.h"
#include "lib/capture/session/collector.h"
#include "lib/capture/host/command.h"
#include "lib/capture/session/control.h"
#include "lib/capture/session/drain.h"
#include "lib/capture/object/places.h"
#include "lib/capture/session/output.h"
#include "lib/capture/session/report.h"
#include "lib/capture/session/sources.h"
#include "lib/capture/session/status.h"
#include "lib/capture/session/writer.h"
#include "lib/capture/session/symbolizer.h"
#include "lib/core/clock.h"

enum {
	QUEUE_MIN = 64 << 20,
	QUEUE_MIN_DUMPS = 32 << 20,
	RING_BYTES = 2 << 20,
	RING_BYTES_DUMPS = 16 << 20, /* copies of stacks, 60 KiB: 270 samples */
	RING_BYTES_LEAST = 256 << 10,
	RINGS_TOTAL = 256 << 20,
	CLOSED_AT_ONCE = 8, /* tracepoints; 0.3 s */
};

struct session {
	struct mp_record_options *o;
	struct mp_tracefs *tracefs;
	struct mp_events events;
	struct mp_target target;
	struct mp_pids processes; /* with -p: they, and their children */
	struct mp_command command;
	struct mp_rings rings;
	struct mp_track *track;
	struct mp_grace *settle;
	struct cap_opened_sources sources;
	struct mp_queue *queue;
	const struct mp_queue_stream *stack_stream; /* of the BPF stacks */
	struct mp_drain *drain;
	struct mp_control *control;
	struct mp_bpf_filters *filters;
	struct mp_bpf_stacks *bpf_stacks;
	struct mp_walk_tables tables;
	struct mp_symbols symbols;
	struct mp_chain_texts stacks;
	struct mp_unwinder unwinder;
	struct mp_tasks tasks;
	struct mp_formatter formatter;
	struct mp_writer writer;
	struct mp_out out;
	struct mp_pids found; /* processes that ran at the beginning */
	uint64_t found_ns;
	struct mp_pids exclude_tids; /* for the kernel's filters */
	struct mp_status_line status;
	json_t *header;
	int signal_fd;
	size_t collectors_failed;
	bool whole; /* system or cgroups, not tasks */
	bool user_stacks, kernel_stacks, dumps;
	bool reads; /* some events are read, and do not come through rings */
};

/* Ends the program with a message that a function has left. */
static _Noreturn void give_up(char *error)
{
	mp_die("%s", error);
}

/* A file for each event, CPU and task. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		mp_say("cannot raise the limit of open files: %m");
}

static void check_permissions(struct session *s)
{
	struct mp_record_options *o = s->o;
	bool own = o->pids.n || o->tids.n || (o->command && !o->system_wide);

	if (!own && !mp_perf_may_system())
		give_up(mp_perf_advice("recording the whole system"));
	if (mp_perf_may_kernel())
		return;
	o->events.exclude_kernel = true;
	o->events.stack &= ~MP_STACK_KERNEL;
}

/* One that cannot start does not keep the others from it. */
static void resolve_collectors(struct session *s)
{
	struct mp_buf remain = { NULL, 0, 0 };
	size_t failed;
	char **name;

	for (name = s->o->collectors; name && *name; name++) {
		failed = mp_collector_resolve(*name, &s->events, &s->o->events, &s->tracefs);
		s->collectors_failed += failed;
		if (!failed)
			mp_buf_printf(&remain, " %s", *name);
	}
	if (s->collectors_failed && !s->events.n && !s->o->specs.n)
		mp_die("nothing is left to record");
	if (s->collectors_failed && remain.len)
		mp_say("what remains is recorded:%.*s", MP_STR_ARGS(mp_buf_view(&remain)));
	mp_buf_release(&remain);
}

/* Whether the command is what is recorded, and not how long. */
static bool is_command_target(const struct mp_record_options *o)
{
	return o->command && !o->system_wide && !o->n_cgroups && !o->tids.n && !o->pids.n;
}

/* What is told apart by what is counted. */
static unsigned count_context(const struct mp_record_options *o)
{
	if (o->n_cgroups)
		return MP_CTX_CGROUP;
	if (o->tids.n)
		return MP_CTX_TASK;
	return o->pids.n || (o->command && !o->system_wide) ? MP_CTX_PID | MP_CTX_COMM : MP_CTX_CPU;
}

static void resolve_events(struct session *s)
{
	struct mp_events own = { .v = NULL };
	const char *usual = mp_pmu_has_hardware() ? "cycles" : "cpu-clock";
	char *error;
	size_t i;

	s->o->events.cgroup = s->o->n_cgroups > 0;
	s->o->events.inherit = s->o->pids.n || is_command_target(s->o);
	s->o->events.interval_ns = s->o->interval_ns;
	s->o->events.count_context = count_context(s->o);
	resolve_collectors(s);
	if (!s->o->specs.n && !s->events.n && mp_specs_parse(&s->o->specs, usual, &error) < 0)
		give_up(error);
	if (mp_events_resolve(&own, &s->o->specs, cap_sources, &s->o->events, &s->tracefs, &error) <
	    0) {
		mp_events_merge(&s->events, &own); /* its probes are removed with the others */
		give_up(error);
	}
	mp_events_merge(&s->events, &own);
	mp_events_release(&own);
	if (s->o->max_events && mp_events_all_aggregated(&s->events))
		mp_die("--events: what is added up in the kernel has no events to count");
	for (i = 0; i < s->events.n; i++) {
		const struct mp_event *e = &s->events.v[i];

		if (e->sum) {
			s->user_stacks |= e->sum->rule.user;
			s->kernel_stacks |= e->sum->rule.kernel;
		}
		s->reads |= mp_event_is_read(e);
		if (!(e->context & MP_CTX_STACK))
			continue;
		s->user_stacks |= e->method != MP_METHOD_UNSET;
		s->dumps |= e->method == MP_METHOD_CFI;
		s->kernel_stacks |= !e->attr.exclude_callchain_kernel;
	}
	if (s->o->interval_ns && !s->reads)
		mp_die("--interval is for --stat, stat:* and mem:*");
}

/* Large machines have many CPUs: the default is less then. */
static void choose_ring(struct session *s)
{
	size_t cpus = s->target.n_cpus;

	if (s->o->ring_bytes)
		return;
	s->o->ring_bytes = s->dumps ? RING_BYTES_DUMPS : RING_BYTES;
	while (s->o->ring_bytes > RING_BYTES_LEAST && s->o->ring_bytes * cpus > RINGS_TOTAL)
		s->o->ring_bytes /= 2;
}

/* With the processes that they started. Their threads are for mp_attach() to find. */
static void find_processes(struct session *s)
{
	struct mp_pids *pids = &s->processes;
	size_t i;

	for (i = 0; i < s->o->pids.n; i++) {
		if (kill(s->o->pids.v[i], 0) < 0 && errno == ESRCH)
			mp_die("no process %d", (int)s->o->pids.v[i]);
		mp_pids_add(pids, s->o->pids.v[i]);
	}
	mp_proc_add_children(pids);
	s->target.inherit = true;
}

static void find_target(struct session *s)
{
	struct mp_record_options *o = s->o;
	struct mp_target *t = &s->target;
	char *error;
	size_t i;
	int n = mp_track_cpus_parse(o->cpus, &t->cpus, &error);

	if (n < 0)
		give_up(error);
	t->n_cpus = n;
	s->command.pidfd = -1;
	if (o->command)
		mp_command_prepare(&s->command, o->command);
	for (i = 0; i < o->n_cgroups; i++)
		if (mp_target_add_cgroups(t, o->cgroups[i], &error) < 0)
			give_up(error);
	for (i = 0; i < o->tids.n; i++)
		mp_pids_add(&t->tids, o->tids.v[i]);
	if (o->pids.n) {
		find_processes(s);
	} else if (is_command_target(o)) {
		mp_pids_add(&t->tids, s->command.pid);
		t->inherit = true;
		t->on_exec = true;
	}
	s->whole = t->tids.n == 0 && s->processes.n == 0;
}

/* Above the thread that writes, which may run for long. */
static int drain_priority(const struct session *s)
{
	return s->o->realtime ? s->o->realtime + 1 : 0;
}

static void stop_sources(void *arg)
{
	struct session *s = arg;

	cap_sources_stop(&s->sources);
}

/*
 * The kernel waits for grace periods whenever a tracepoint is used no more, 40 ms for one after the
 * other. But probes can't be removed before their events are closed.
 */
static bool closes_slowly(const struct session *s)
{
	return s->events.n > CLOSED_AT_ONCE && !s->events.probes.n_made;
}

static void open_sources(struct session *s)
{
	bool on_exec = s->target.on_exec;
	struct cap_recording recording = {
		.events = &s->events,
		.rings = &s->rings,
		.queue = s->queue,
		.target = &s->target,
		.processes = &s->processes,
		.tids = &s->o->tids,
		.exclude = &s->o->exclude,
		.command = on_exec ? s->command.pid : 0,
		.command_name = on_exec ? s->command.name : NULL,
		.whole = s->whole,
		.all_cpus = !s->o->cpus,
		.bpf_stacks = s->bpf_stacks,
		.threads = &s->exclude_tids,
	};
	char *error;

	if (cap_sources_open(&s->sources, &recording, &error) < 0)
		give_up(error);
}

static void start_threads(struct session *s)
{
	struct mp_drain_setup drain = {
		.rings = &s->rings,
		.events = &s->events,
		.track = s->track,
		.bpf_stacks = s->bpf_stacks,
		.stacks = s->stack_stream,
		.settle = s->settle,
		.sources = &s->sources,
		.queue = s->queue,
		.realtime = drain_priority(s),
	};
	struct mp_control_setup control = {
		.rings = &s->rings,
		.of_tasks = !s->whole && !s->o->command,
		.closes_slowly = closes_slowly(s),
		.command_fd = s->command.pidfd,
		.signal_fd = s->signal_fd,
		.disabled = stop_sources,
		.arg = s,
	};
	int tid;

	s->drain = mp_drain_start(&drain, &tid);
	mp_pids_add(&s->exclude_tids, tid);
	control.drain_tid = tid;
	s->control = mp_control_start(&control, &tid);
	mp_pids_add(&s->exclude_tids, tid);
}

/* Ourselves always, others by option: kept out by the kernel where it can, else by the writer. */
static void find_excluded(struct session *s)
{
	if (s->o->exclude_pipeline)
		mp_proc_pipeline(&s->o->exclude);
	else
		mp_pids_add(&s->o->exclude, getpid());
}

/* Of those that have been opened, tracepoints take threads: those of ours are known by now. */
static void set_filters(struct session *s)
{
	char *error;
	size_t i;

	mp_pids_add(&s->exclude_tids, gettid());
	for (i = 0; i < s->o->exclude.n; i++)
		if (s->o->exclude.v[i] != getpid())
			mp_proc_threads(s->o->exclude.v[i], &s->exclude_tids);
	if (mp_rings_filter(&s->rings, &s->events, &s->exclude_tids, &error) < 0)
		give_up(error);
}

/* Names and mappings of what runs already. Tracking is on, so nothing falls between. */
static void learn_tasks(struct session *s)
{
	struct mp_pids *pids = &s->found;
	size_t i;
	pid_t pid;

	mp_symbols_init(&s->symbols);
	mp_chain_texts_init(&s->stacks, &s->symbols);
	if (s->user_stacks)
		mp_unwinder_init(&s->unwinder, mp_arch_here(), &s->symbols.dsos);
	mp_tasks_init(&s->tasks, s->user_stacks ? mp_symbols_dso : NULL, &s->symbols);
	if (s->kernel_stacks)
		mp_symbols_load_kernel(&s->symbols);
	s->found_ns = mp_monotonic_ns();
	if (s->whole) {
		mp_proc_processes(pids);
	} else {
		for (i = 0; i < s->processes.n; i++)
			mp_pids_add(pids, s->processes.v[i]);
		for (i = 0; i < s->target.tids.n; i++) {
			pid = mp_proc_process_of(s->target.tids.v[i]);
			if (pid > 0 && !mp_pids_has(pids, pid))
				mp_pids_add(pids, pid);
		}
	}
	for (i = 0; i < pids->n; i++)
		mp_tasks_scan(&s->tasks, pids->v[i]);
}

/* Tables for the processes that run already. */
static void make_tables(struct session *s)
{
	size_t i;

	for (i = 0; s->bpf_stacks && i < s->found.n; i++)
		mp_walk_tables_update(
			&s->tables, mp_tasks_get(&s->tasks, s->found.v[i], s->found.v[i])->process,
			s->found_ns);
	mp_pids_release(&s->found);
}

/* The programs that walk user stacks, and their tables. */
static void open_stacks(struct session *s)
{
	struct mp_bpf_stacks_setup setup = {
		.rows = mp_walk_tables_rows,
		.rows_arg = &s->symbols.dsos,
		.everyone = s->whole,
		.aggregates = mp_events_any_aggregated(&s->events),
	};

	s->bpf_stacks = mp_bpf_stacks_open(&s->events, &setup);
	if (s->bpf_stacks) {
		s->tables = (struct mp_walk_tables){
			.walker = { s->bpf_stacks, mp_bpf_stacks_update, mp_bpf_stacks_forget },
			.dsos = &s->symbols.dsos,
		};
		s->tasks.gone = mp_walk_tables_forget;
		s->tasks.gone_arg = &s->tables;
	}
	make_tables(s);
}

/* The tracking first, so that nothing falls between what /proc says and what its records say. */
static void open_tracking(struct session *s)
{
	struct mp_target of_processes = s->target;
	char *error;

	/* without privileges only one's own tasks can be tracked, and they have to be named */
	if (s->processes.n) {
		of_processes.tids = (struct mp_pids){ NULL, 0, 0 };
		mp_proc_threads_of(&s->processes, &of_processes.tids);
	}
	s->track = mp_track_open(&of_processes, mp_perf_may_system(), s->user_stacks,
				 !mp_perf_may_kernel(), &error);
	if (!s->track)
		give_up(error);
	if (s->processes.n)
		mp_pids_release(&of_processes.tids);
}

/* Copies of stacks have larger rings, which are read in parts: those are the buffer then. */
static size_t queue_limit(const struct session *s)
{
	size_t least = s->dumps ? QUEUE_MIN_DUMPS : QUEUE_MIN;
	size_t ring_bytes = s->dumps ? (size_t)RING_BYTES : s->o->ring_bytes;

	return MP_MAX(least, 3 * s->rings.n * ring_bytes);
}

/* The rings first: an event comes before what happens to a task at the same time. */
static void add_streams(struct session *s)
{
	s->queue = mp_queue_new(queue_limit(s));
	mp_rings_add_streams(&s->rings, s->queue);
	mp_track_add_streams(s->track, s->queue);
	if (s->bpf_stacks)
		s->stack_stream = mp_queue_add(s->queue, MP_QUEUE_STACKS, "stacks", 0);
}

static void open_events(struct session *s)
{
	char *error;
	int tid, result;

	s->settle = mp_grace_start(drain_priority(s), &tid);
	mp_pids_add(&s->exclude_tids, tid);
	open_tracking(s);
	learn_tasks(s);
	open_stacks(s);
	find_excluded(s);
	if (mp_bpf_filters_open(&s->filters, &s->events, &s->o->exclude, &error) < 0)
		give_up(error);
	choose_ring(s);
	mp_rings_init(&s->rings, &s->target, s->o->ring_bytes);
	add_streams(s);
	if (s->processes.n)
		result = mp_attach(&s->rings, &s->events, &s->target, &s->processes, s->track,
				   &s->tasks.sources, &error);
	else
		result = mp_rings_open(&s->rings, &s->events, &s->target, &error);
	if (result < 0)
		give_up(error);
	open_sources(s);
	start_threads(s);
	set_filters(s);
	if (s->bpf_stacks)
		mp_bpf_stacks_attach(s->bpf_stacks, &s->rings, &s->events);
	mp_prototypes_forget();
}

static void stop_recording(void *arg)
{
	struct session *s = arg;

	mp_control_stop(s->control);
}

static void show_status(void *arg)
{
	struct session *s = arg;

	cap_sources_tick(&s->sources, s->writer.watermark_ns);
	mp_status_line_show(&s->status, s->writer.written, s->writer.lost);
}

/* The thread that formats and writes, this one, has to keep up with the one that drains. */
static void be_realtime(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (priority && sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		mp_say("cannot have realtime priority %d: %m", priority);
}

static void prepare_writer(struct session *s)
{
	mp_formatter_init(&s->formatter, &s->events, &s->tasks, &s->stacks, &s->unwinder);
	s->writer = (struct mp_writer){
		.events = &s->events,
		.rings = &s->rings,
		.queue = s->queue,
		.out = &s->out,
		.formatter = &s->formatter,
		.tasks = &s->tasks,
		.exclude = &s->o->exclude,
		.names = s->o->names,
		.control = s->control,
		.max_events = s->o->max_events,
		.whole = s->whole,
		.readable = isatty(s->out.fd),
		.stop = stop_recording,
		.tick = show_status,
		.silent = mp_events_all_aggregated(&s->events),
		.sources = &s->sources,
		.arg = s,
	};
	mp_writer_init(&s->writer);
	s->formatter.tables = s->bpf_stacks ? &s->tables : NULL;
	be_realtime(s->o->realtime);
	mp_status_line_init(&s->status, !s->o->quiet && !s->writer.readable);
}

static enum mp_stack_method method_of(const struct mp_event *e)
{
	return e->sum && e->sum->rule.user ? MP_METHOD_BPF : e->method;
}

/* "cfi", or, if events differ, "cfi,fp"; "none". */
static char *user_methods(const struct session *s)
{
	char *text = NULL, *more;
	size_t method, i;

	for (method = 0; method < MP_METHODS; method++) {
		for (i = 0; i < s->events.n; i++)
			if (method_of(&s->events.v[i]) == (enum mp_stack_method)method)
				break;
		if (i == s->events.n)
			continue;
		more = mp_asprintf("%s%s%s", text ? text : "", text ? "," : "",
				   mp_stack_method_name(method));
		free(text);
		text = more;
	}
	return text ? text : mp_strdup("none");
}

static json_t *stacks_json(const struct session *s)
{
	char *user = user_methods(s);
	unsigned max = 0;
	json_t *stacks;
	size_t i;

	for (i = 0; i < s->events.n; i++)
		max = MP_MAX(max, s->events.v[i].max_stack);
	stacks = json_pack("{s:s, s:s, s:I}", "kernel", s->kernel_stacks ? "fp" : "none", "user",
			   user, "max", (json_int_t)max);
	free(user);
	return stacks;
}

static bool has_latency(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->events.n; i++)
		if (s->events.v[i].context & MP_CTX_LATENCY)
			return true;
	return false;
}

static json_t *make_header(const struct session *s)
{
	json_t *header = mp_output_header(s->o->argv, s->target.n_cpus);

	if (s->o->collectors)
		json_object_set_new(header, "collectors", mp_output_names(s->o->collectors));
	json_object_set_new(header, "stacks", stacks_json(s));
	if (has_latency(s))
		json_object_set_new(header, "units", json_pack("{s:s}", "latency", "cycles"));
	json_object_set_new(header, "events", mp_events_json(&s->events));
	return header;
}

static void write_json(struct session *s, json_t *object)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	if (!s->writer.readable)
		mp_writer_put(&s->writer, mp_buf_view(&line));
	mp_out_flush(&s->out);
	mp_buf_release(&line);
}

/* Whoever sees the header knows that events are recorded. -1: the command cannot be run. */
static int start(struct session *s)
{
	mp_drain_go(s->drain, mp_control_stopped_fd(s->control));
	if (s->processes.n)
		mp_attach_enable(&s->rings);
	else if (!s->target.on_exec)
		mp_rings_enable(&s->rings);
	cap_sources_start(&s->sources);
	s->header = make_header(s); /* the recording begins at its time */
	s->writer.from_ns = json_integer_value(json_object_get(s->header, "clock_ns"));
	mp_control_go(s->control, s->o->duration_ns);
	if (!s->writer.silent)
		write_json(s, json_incref(s->header));
	if (!s->o->command || mp_command_go(&s->command) == 0) {
		cap_sources_begin(&s->sources);
		return 0;
	}
	mp_say("cannot run '%s': %m", s->command.name);
	mp_control_stop(s->control);
	return -1;
}

static void write_trailer(struct session *s, const struct mp_account *a, int command_status)
{
	json_t *trailer = mp_ctl_trailer(MP_EVENT, s->writer.written, s->writer.lost);

	json_object_set_new(trailer, "bytes", json_integer((json_int_t)s->writer.bytes));
	json_object_set_new(trailer, "time", json_integer((json_int_t)s->writer.until_ns));
	mp_account_json(a, &s->writer, trailer);
	if (s->stacks.truncated)
		json_object_set_new(trailer, "truncated",
				    json_integer((json_int_t)s->stacks.truncated));
	mp_unwind_stats_json(&s->formatter.unwound, trailer);
	cap_sources_trailer(&s->sources, trailer);
	if (s->o->command)
		json_object_set_new(trailer, "status", json_integer(command_status));
	write_json(s, trailer);
}

static void put_line(void *arg, struct mp_str line)
{
	struct session *s = arg;

	if (s->writer.readable && line.p[0] == '{')
		return;
	mp_writer_put(&s->writer, line);
}

static bool write_sources(struct session *s)
{
	struct cap_symbolizer symbolizer = { &s->formatter, &s->tasks, s->o->names };
	struct cap_output output = {
		.header = s->header,
		.symbolizer = &symbolizer,
		.put = put_line,
		.arg = s,
		.verbose = s->o->verbose,
	};

	return cap_sources_write(&s->sources, &output);
}

/* After the last record: the command, the account, the trailer, what is to be said. */
static enum mp_status finish(struct session *s)
{
	const struct mp_writer *w = &s->writer;
	struct mp_account account;
	int command_status = 0;
	bool lossy;

	mp_drain_free(s->drain);
	mp_status_line_clear(&s->status);
	if (s->o->command)
		command_status = mp_command_end(&s->command);
	mp_account_init(&account, w, &s->sources);
	mp_account_write_rest(&account, &s->writer);
	if (!s->writer.silent)
		write_trailer(s, &account, command_status);
	mp_queue_free(s->queue); /* aggregates need some memory, too */
	s->queue = NULL;
	lossy = write_sources(s);
	mp_out_close(&s->out);
	if (command_status && !s->o->quiet)
		mp_say("'%s' ended with status %d", s->command.name, command_status);
	mp_report_losses(w, &account, s->o->quiet, s->o->verbose);
	if (s->o->verbose)
		mp_report_details(w, &account, s->settle, s->bpf_stacks);
	lossy |= s->collectors_failed || (s->o->names && s->o->names->bad) || w->lost || w->late ||
		 w->track_lost || w->throttled || w->broken || account.surplus;
	mp_account_release(&account);
	return lossy ? MP_LOSSY : MP_OK;
}

static void release(struct session *s)
{
	mp_control_end(s->control);
	mp_grace_stop(s->settle);
	mp_tasks_release(&s->tasks);
	cap_sources_close(&s->sources);
	json_decref(s->header);
	mp_bpf_filters_free(s->filters);
	mp_bpf_stacks_free(s->bpf_stacks);
	mp_walk_tables_release(&s->tables);
	mp_rings_close(&s->rings, closes_slowly(s));
	mp_track_close(s->track);
	mp_queue_free(s->queue);
	mp_writer_release(&s->writer);
	mp_formatter_release(&s->formatter);
	mp_chain_texts_release(&s->stacks);
	mp_unwinder_release(&s->unwinder);
	mp_symbols_release(&s->symbols);
	mp_probes_remove(&s->events.probes, s->tracefs);
	mp_events_release(&s->events);
	mp_target_release(&s->target);
	mp_tracefs_close(s->tracefs);
	mp_pids_release(&s->exclude_tids);
	mp_pids_release(&s->processes);
	close(s->signal_fd);
}

/*
 * A session that ends before it has begun leaves no probe behind. `arg` points to it, or to NULL
 * when it has cleaned up itself.
 */
static void clean_up(int status, void *arg)
{
	struct session *s = *(struct session **)arg;

	(void)status;
	if (!s ||
	    s->drain) /* the draining reads the rings: the next recording removes the probes */
		return;
	mp_rings_close(&s->rings, closes_slowly(s));
	mp_probes_remove(&s->events.probes, s->tracefs);
}

enum mp_status mp_record(struct mp_record_options *o)
{
	struct session s = { .o = o }, **at_exit = mp_alloc(sizeof(*at_exit));
	enum mp_status status;
	int started;

	o->events.files = &mp_binary_answers;
	*at_exit = &s;
	on_exit(clean_up, at_exit);
	check_permissions(&s);
	resolve_events(&s);
	raise_file_limit();
	mp_output_open(&s.out, o->output);
	s.signal_fd = mp_output_signals();
	find_target(&s);
	open_events(&s);
	prepare_writer(&s);
	started = start(&s);
	mp_writer_run(&s.writer);
	status = finish(&s);
	if (started < 0)
		status = MP_FAIL;
	release(&s);
	*at_exit = NULL;
	mp_output_check(&s.out);
	return status;
}
