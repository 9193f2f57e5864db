// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/open.h"

#include <sys/resource.h>
#include <unistd.h>

#include "lib/capture/bpf/bpf.h"
#include "lib/capture/event/constant.h"
#include "lib/capture/ring/attach.h"
#include "lib/core/clock.h"

enum {
	QUEUE_MIN = 64 << 20,
	QUEUE_MIN_COPIES = 32 << 20,
	RING_BYTES = 2 << 20,
	RING_BYTES_COPIES = 16 << 20, /* for copies of stacks of 60 KiB: 270 samples */
	RING_BYTES_LEAST = 256 << 10,
	RINGS_TOTAL = 256 << 20,
	CLOSED_AT_ONCE = 8, /* more tracepoints take over 0.3 s to close */
};

/* Raises the limit on open files: each combination of event, CPU and task needs one. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		mp_say("cannot raise the limit on open files: %m");
}

/* The size of a ring. The default is smaller on large machines, which have many CPUs. */
static size_t ring_bytes(const struct mp_record_plan *p)
{
	size_t bytes = p->copies ? RING_BYTES_COPIES : RING_BYTES;

	if (p->o->ring_bytes)
		return p->o->ring_bytes;
	while (bytes > RING_BYTES_LEAST && bytes * p->target.n_cpus > RINGS_TOTAL)
		bytes /= 2;
	return bytes;
}

/*
 * Lists the processes to exclude: mp-record's own, and those that the user excludes. The kernel
 * excludes them if possible, otherwise the writer does. Returns whether the user excludes any.
 */
static bool find_excluded(struct mp_record_plan *p)
{
	struct mp_pids *exclude = &p->o->exclude;
	bool by_user;
	size_t i;

	if (p->o->exclude_pipeline)
		mp_proc_pipeline(exclude);
	else
		mp_pids_add(exclude, getpid());
	by_user = exclude->n > 1;
	for (i = 0; i < p->own.n; i++)
		if (!mp_pids_has(exclude, p->own.v[i]))
			mp_pids_add(exclude, p->own.v[i]);
	return by_user;
}

/* Finds the processes of the target. */
static void find_processes(struct mp_pids *pids, const struct mp_record_plan *p)
{
	size_t i;
	pid_t pid;

	for (i = 0; i < p->processes.n; i++)
		mp_pids_add(pids, p->processes.v[i]);
	for (i = 0; i < p->target.tids.n; i++) {
		pid = mp_proc_process_of(p->target.tids.v[i]);
		if (pid > 0 && !mp_pids_has(pids, pid))
			mp_pids_add(pids, pid);
	}
}

/*
 * Registers the processes of the target with the BPF programs, which send copies of the stacks of
 * these processes and of their children until they have tables.
 */
static void expect_processes(struct mp_record_opened *k, const struct mp_pids *pids)
{
	struct mp_cut_space none = { .time_ns = mp_monotonic_ns() };
	size_t i;

	for (i = 0; i < pids->n; i++) {
		none.pid = (uint32_t)pids->v[i];
		mp_bpf_stacks_update(k->bpf_stacks, &none);
	}
}

static size_t count_by(const struct mp_events *events, enum mp_stack_method method)
{
	size_t i, n = 0;

	for (i = 0; i < events->n; i++)
		n += !events->v[i].agg && events->v[i].method == method;
	return n;
}

/* Warns before the recording that its user stacks will be of little use. */
static void say_without_bpf(void)
{
	mp_say("%s: user stacks are taken along frame pointers, which most programs lack (%s-g cfi "
	       "copies and unwinds them)",
	       mp_bpf_built() ? "the kernel does not accept the BPF programs"
			      : "built without clang, so without BPF",
	       mp_bpf_built() ? "" : "install clang and build again; ");
}

/* Loads the programs that walk user stacks, and makes their tables. */
static void open_stacks(struct mp_record_opened *k, struct mp_record_plan *p)
{
	struct mp_bpf_stacks_setup setup = {
		.rows = mp_link_rows,
		.rows_arg = k->link,
		.everyone = p->everyone,
		.copy_bytes = (uint32_t)p->o->events.stack_size,
		.writer_uids = mp_link_uids(k->link)->first,
		.n_writer_uids = mp_link_uids(k->link)->n,
		.aggregates = mp_events_any_aggregated(&p->events),
	};
	size_t by_fp = count_by(&p->events, MP_METHOD_FP);

	k->bpf_stacks = mp_bpf_stacks_open(&p->events, &setup);
	if (count_by(&p->events, MP_METHOD_FP) > by_fp && !p->o->quiet)
		say_without_bpf();
	p->copies |= count_by(&p->events, MP_METHOD_CFI) > 0;
	if (k->bpf_stacks)
		expect_processes(k, &k->found);
}

/* Opens the tracking before everything else, so that no change is missed after /proc is read. */
static void open_tracking(struct mp_record_opened *k, struct mp_record_plan *p)
{
	struct mp_target of_processes = p->target;
	char *error;

	/*
	 * without privileges only tasks of the user can be tracked, and each of them has to be
	 * named
	 */
	if (p->processes.n) {
		of_processes.tids = (struct mp_pids){ NULL, 0, 0 };
		mp_proc_threads_of(&p->processes, &of_processes.tids);
	}
	k->track = mp_track_open(&of_processes, mp_perf_may_system(), p->user_stacks,
				 !mp_perf_may_kernel(), &error);
	if (!k->track)
		mp_die("%s", error);
	if (p->processes.n)
		mp_pids_release(&of_processes.tids);
}

/*
 * The limit of the queue. With copies of stacks the rings are larger, and are read in parts, so
 * that the rings serve as the buffer.
 */
static size_t queue_limit(const struct mp_record_opened *k, const struct mp_record_plan *p)
{
	size_t least = p->copies ? QUEUE_MIN_COPIES : QUEUE_MIN;
	size_t bytes = p->copies ? (size_t)RING_BYTES : k->rings.wanted_size;

	return MP_MAX(least, 3 * k->rings.n * bytes);
}

/*
 * Adds the streams, those of the rings first: at equal times, an event precedes a change of its
 * task.
 */
static void add_streams(struct mp_record_opened *k, const struct mp_record_plan *p)
{
	k->queue = mp_queue_new(queue_limit(k, p), k->rings.wanted_size);
	mp_rings_add_streams(&k->rings, k->queue);
	mp_track_add_streams(k->track, k->queue);
	if (k->bpf_stacks)
		k->stack_stream = mp_queue_add(k->queue, MP_QUEUE_STACKS, "stacks", 0);
	k->stop_stream = mp_queue_add(k->queue, MP_QUEUE_READINGS, "control", 0);
	k->counting = mp_counting_new(&(struct mp_counting_setup){ .rings = &k->rings,
								   .events = &p->events,
								   .sources = &k->sources,
								   .queue = k->queue });
}

static void open_rings(struct mp_record_opened *k, struct mp_record_plan *p)
{
	int result, tid;
	char *error;

	mp_rings_init(&k->rings, &p->target, ring_bytes(p));
	add_streams(k, p);
	if (p->processes.n)
		result = mp_attach(&k->rings, &p->events, &p->target, &p->processes, k->track,
				   &k->sources_of, &error);
	else
		result = mp_rings_open(&k->rings, &p->events, &p->target, &error);
	if (result < 0)
		mp_die("%s", error);
	if (k->rings.swaps && !p->o->quiet)
		mp_say("this kernel may lose hits of user-space probes where processes of the "
		       "target create others (-a records all hits)");
	mp_track_start(k->track, &tid);
	mp_pids_add(&k->threads, tid);
}

static void open_sources(struct mp_record_opened *k, struct mp_record_plan *p)
{
	bool on_exec = p->target.on_exec;
	struct cap_recording recording = {
		.events = &p->events,
		.rings = &k->rings,
		.queue = k->queue,
		.target = &p->target,
		.processes = &p->processes,
		.tids = &p->o->tids,
		.exclude = &p->o->exclude,
		.user_excludes = k->user_excludes,
		.command = on_exec ? p->command.pid : 0,
		.command_name = on_exec ? p->command.name : NULL,
		.whole = p->whole,
		.all_cpus = !p->o->cpus,
		.bpf_stacks = k->bpf_stacks,
		.calls = p->calls,
		.threads = &k->threads,
	};
	char *error;

	if (cap_sources_open(&k->sources, &recording, &error) < 0)
		mp_die("%s", error);
}

void mp_record_open(struct mp_record_opened *k, struct mp_record_plan *p)
{
	uint64_t began_ns;
	char *error;
	int tid;

	raise_file_limit();
	k->grace = mp_grace_start(mp_record_drain_priority(p->o), &tid);
	mp_pids_add(&k->threads, tid);
	open_tracking(k, p);
	if (!p->whole)
		find_processes(&k->found, p);
	k->user_excludes = find_excluded(p);
	began_ns = mp_clock_thread_ns();
	open_stacks(k, p);
	if (mp_bpf_filters_open(&k->filters, &p->events, &p->o->exclude, &error) < 0)
		mp_die("%s", error);
	k->bpf_cpu_ns = p->bpf_cpu_ns + mp_clock_thread_ns() - began_ns;
	open_rings(k, p);
	began_ns = mp_clock_thread_ns();
	open_sources(k, p);
	if (k->bpf_stacks)
		mp_bpf_stacks_attach(k->bpf_stacks, &k->rings, &p->events);
	k->bpf_cpu_ns += mp_clock_thread_ns() - began_ns;
	mp_prototypes_forget();
	mp_constant_forget();
}

int mp_record_drain_priority(const struct mp_record_options *o)
{
	return o->realtime ? o->realtime + 1 : 0;
}

bool mp_record_closes_slowly(const struct mp_record_plan *p)
{
	return p->events.n > CLOSED_AT_ONCE && !p->events.probes.n_made;
}

void mp_record_close_events(struct mp_record_opened *k, const struct mp_record_plan *p)
{
	mp_rings_close(&k->rings, mp_record_closes_slowly(p));
}

void mp_record_opened_release(struct mp_record_opened *k, const struct mp_record_plan *p)
{
	mp_grace_stop(k->grace);
	cap_sources_close(&k->sources);
	mp_bpf_filters_free(k->filters);
	mp_bpf_stacks_free(k->bpf_stacks);
	mp_record_close_events(k, p);
	mp_track_close(k->track);
	mp_counting_free(k->counting);
	mp_queue_free(k->queue);
	mp_pids_release(&k->threads);
	mp_pids_release(&k->sources_of);
	mp_pids_release(&k->found);
}
