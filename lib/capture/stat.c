// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/command.h"
#include "lib/capture/memstat.h"
#include "lib/capture/outlet.h"
#include "lib/capture/ring.h"
#include "lib/capture/track.h"
#include "lib/clock.h"
#include "lib/esc.h"

/* What is told apart: a CPU, a process or thread, a cgroup. */
struct group {
	char *text; /* "cpu=0", "pid=1\ttid=1\tcomm=x": fields of its events */
};

/* One open event; those of a group and event are added up. */
struct counter {
	int fd;
	uint32_t group, event;
	uint64_t value, enabled, running; /* when it was read last; ns */
};

/* What happened in an interval. */
struct sum {
	double value;
	uint64_t enabled, running;
};

struct stat {
	struct mp_record_options *o;
	struct mp_tracefs *tracefs;
	struct mp_events events;
	struct mp_target target;
	struct mp_command command;
	struct group *groups;
	size_t n_groups, cap_groups;
	struct counter *counters;
	size_t n_counters, cap_counters;
	struct sum *sums; /* a row of events for each group */
	struct mp_out out;
	struct mp_buf line;
	bool memory[MP_MEM_PSS + 1]; /* which are read as well */
	bool any_memory;
	uint64_t memory_ns, reads; /* what the reading has cost: CPU time; how often */
	uint64_t last_ns;	   /* end of the interval before */
	uint64_t written;
	int timer_fd, signal_fd;
};

/* --- what is counted ----------------------------------------------------------------------------------- */

static uint32_t add_group(struct stat *s, char *text)
{
	s->groups = mp_grow(s->groups, &s->cap_groups, s->n_groups + 1, sizeof(*s->groups));
	s->groups[s->n_groups] = (struct group){ text };
	return s->n_groups++;
}

static char *task_text(pid_t pid, pid_t tid)
{
	struct mp_buf text = { NULL, 0, 0 };
	char comm[64];
	size_t len;

	mp_buf_printf(&text, "pid=%d\t", (int)pid);
	if (tid != pid)
		mp_buf_printf(&text, "tid=%d\t", (int)tid);
	mp_buf_str(&text, MP_STR("comm="));
	if (mp_proc_comm(pid, tid, comm, &len))
		mp_esc_add(&text, (struct mp_str){ comm, len }, MP_ESC_VALUE);
	mp_buf_byte(&text, '\0');
	return text.p;
}

static struct perf_event_attr attr_for(const struct stat *s, const struct mp_event *e)
{
	struct perf_event_attr attr = e->attr;

	attr.sample_type = 0;
	attr.sample_period = 0;
	attr.freq = 0;
	attr.sample_max_stack = 0;
	attr.sample_regs_user = 0;
	attr.sample_stack_user = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = s->target.inherit;
	attr.enable_on_exec = s->target.on_exec;
	return attr;
}

/* `pid`: a task, -1, or, with PERF_FLAG_PID_CGROUP, a cgroup. */
static void open_counters(struct stat *s, uint32_t group, pid_t pid, int cpu, unsigned long flags)
{
	size_t i;

	for (i = 0; i < s->events.n; i++) {
		const struct mp_event *e = &s->events.v[i];
		struct perf_event_attr attr = attr_for(s, e);
		char *error;
		int fd = mp_event_open(e, &attr, pid, cpu, flags, &error);

		if (fd < 0 && errno == ESRCH)
			return; /* the task has ended */
		if (fd < 0)
			mp_die("%s", error);
		if (e->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter) < 0)
			mp_die("%s: the kernel does not take the filter '%s': %m", e->type,
			       e->filter);
		s->counters = mp_grow(s->counters, &s->cap_counters, s->n_counters + 1,
				      sizeof(*s->counters));
		s->counters[s->n_counters++] =
			(struct counter){ .fd = fd, .group = group, .event = i };
	}
}

/* What the kernel will call it: the end of its path, at most 15 bytes. */
static struct mp_str command_comm(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return (struct mp_str){ name, MP_MIN(strlen(name), (size_t)15) };
}

static void open_tasks(struct stat *s)
{
	const struct mp_record_options *o = s->o;
	struct mp_pids processes = { NULL, 0, 0 }, tids = { NULL, 0, 0 };
	uint32_t group;
	size_t i, j;

	for (i = 0; i < o->tids.n; i++)
		open_counters(
			s, add_group(s, task_text(mp_proc_process_of(o->tids.v[i]), o->tids.v[i])),
			o->tids.v[i], -1, 0);
	for (i = 0; i < o->pids.n; i++)
		mp_pids_add(&processes, o->pids.v[i]);
	mp_proc_add_children(&processes);
	for (i = 0; i < processes.n; i++) {
		group = add_group(s, task_text(processes.v[i], processes.v[i]));
		tids.n = 0;
		mp_proc_threads(processes.v[i], &tids);
		for (j = 0; j < tids.n; j++)
			open_counters(s, group, tids.v[j], -1, 0);
	}
	if (s->target.on_exec) {
		struct mp_buf text = { NULL, 0, 0 };

		mp_buf_printf(&text, "pid=%d\tcomm=", (int)s->command.pid);
		mp_esc_add(&text, command_comm(s->command.name), MP_ESC_VALUE);
		mp_buf_byte(&text, '\0');
		open_counters(s, add_group(s, text.p), s->command.pid, -1, 0);
	}
	mp_pids_release(&processes);
	mp_pids_release(&tids);
}

static void open_cgroups(struct stat *s)
{
	size_t i, j;

	for (i = 0; i < s->target.n_cgroups; i++) {
		struct mp_buf text = { NULL, 0, 0 };
		uint32_t group;

		mp_buf_str(&text, MP_STR("cgroup="));
		mp_esc_add(&text, mp_str(s->target.cgroups[i].path), MP_ESC_VALUE);
		mp_buf_byte(&text, '\0');
		group = add_group(s, text.p);
		for (j = 0; j < s->target.n_cpus; j++)
			open_counters(s, group, s->target.cgroups[i].fd, s->target.cpus[j],
				      PERF_FLAG_PID_CGROUP);
	}
}

static void open_cpus(struct stat *s)
{
	size_t i;

	for (i = 0; i < s->target.n_cpus; i++)
		open_counters(s, add_group(s, mp_asprintf("cpu=%d", s->target.cpus[i])), -1,
			      s->target.cpus[i], 0);
}

static void find_target(struct stat *s)
{
	struct mp_record_options *o = s->o;
	char *error;
	size_t i;
	int n = mp_cpus_parse(o->cpus, &s->target.cpus, &error);

	if (n < 0)
		mp_die("%s", error);
	s->target.n_cpus = n;
	for (i = 0; i < o->n_cgroups; i++)
		if (mp_target_add_cgroups(&s->target, o->cgroups[i], &error) < 0)
			mp_die("%s", error);
	s->command.pidfd = -1;
	if (o->command) {
		mp_command_prepare(&s->command, o->command);
		s->target.on_exec = !o->system_wide && !o->n_cgroups && !o->tids.n && !o->pids.n;
	}
	s->target.inherit = o->pids.n || s->target.on_exec;
}

static void open_all(struct stat *s)
{
	if (s->target.n_cgroups)
		open_cgroups(s);
	else if (s->o->tids.n || s->o->pids.n || s->target.on_exec)
		open_tasks(s);
	else
		open_cpus(s);
	if (!s->n_counters && !s->any_memory)
		mp_die("the processes to count are gone");
	s->sums = mp_zalloc(s->n_groups * s->events.n * sizeof(*s->sums));
}

/* --- counting ------------------------------------------------------------------------------------------- */

/* What it counted since it was read last. Where it shared a counter of the processor, as perf does. */
static void read_counter(struct stat *s, struct counter *c)
{
	struct sum *sum = &s->sums[c->group * s->events.n + c->event];
	uint64_t now[3], value, enabled, running;

	if (read(c->fd, now, sizeof(now)) != sizeof(now))
		return;
	value = now[0] - c->value;
	enabled = now[1] - c->enabled;
	running = now[2] - c->running;
	c->value = now[0];
	c->enabled = now[1];
	c->running = now[2];
	sum->enabled += enabled;
	sum->running += running;
	sum->value += running && running < enabled ? (double)value * enabled / running : value;
}

static void write_sum(struct stat *s, const struct group *g, const struct mp_event *e,
		      const struct sum *sum, uint64_t now_ns)
{
	struct mp_buf *line = &s->line;

	line->len = 0;
	mp_buf_printf(line, "%llu,stat:%s,%s\t.value=%.0f", (unsigned long long)now_ns, e->type,
		      g->text, sum->value);
	if (sum->running < sum->enabled)
		mp_buf_printf(line, "\t.share=%.4f", (double)sum->running / sum->enabled);
	mp_buf_printf(line, "\tdur=%llu\n", (unsigned long long)(now_ns - s->last_ns));
	mp_out_write(&s->out, line->p, line->len);
	s->written++;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * MP_NS_PER_SEC + t.tv_nsec;
}

static void write_memory(struct stat *s, enum mp_memstat what, pid_t pid, const char *text)
{
	uint64_t bytes;

	if (!s->memory[what] || !mp_memstat_read(what, pid, &bytes))
		return;
	s->line.len = 0;
	mp_buf_printf(&s->line, "%llu,%s,%s\t.bytes=%llu\n", (unsigned long long)s->last_ns,
		      mp_memstat_name(what), text, (unsigned long long)bytes);
	mp_out_write(&s->out, s->line.p, s->line.len);
	s->written++;
}

/* Of the processes of -p and their children as they are now, else of all. At the time of the interval's end. */
static void read_memory(struct stat *s)
{
	struct mp_pids pids = { NULL, 0, 0 };
	uint64_t began = cpu_ns(), bytes;
	size_t i;

	for (i = 0; i < s->o->pids.n; i++)
		mp_pids_add(&pids, s->o->pids.v[i]);
	if (s->o->command)
		mp_pids_add(&pids, s->command.pid);
	if (pids.n)
		mp_proc_add_children(&pids);
	else
		mp_proc_processes(&pids);
	for (i = 0; i < pids.n; i++) {
		char *text;

		if (!mp_memstat_read(MP_MEM_RSS, pids.v[i], &bytes))
			continue; /* a kernel thread, or gone */
		text = task_text(pids.v[i], pids.v[i]);
		write_memory(s, MP_MEM_RSS, pids.v[i], text);
		write_memory(s, MP_MEM_PSS, pids.v[i], text);
		free(text);
	}
	mp_pids_release(&pids);
	s->memory_ns += cpu_ns() - began;
	s->reads++;
}

static void end_interval(struct stat *s)
{
	uint64_t now_ns = mp_monotonic_ns();
	size_t i, j;

	for (i = 0; i < s->n_counters; i++)
		read_counter(s, &s->counters[i]);
	for (i = 0; i < s->n_groups; i++)
		for (j = 0; j < s->events.n; j++)
			write_sum(s, &s->groups[i], &s->events.v[j], &s->sums[i * s->events.n + j],
				  now_ns);
	if (s->sums)
		memset(s->sums, 0, s->n_groups * s->events.n * sizeof(*s->sums));
	s->last_ns = now_ns;
	if (s->any_memory)
		read_memory(s);
	s->line.len = 0;
	mp_ctl_add_watermark(&s->line, now_ns);
	mp_out_write(&s->out, s->line.p, s->line.len);
	mp_out_flush(&s->out);
}

static void write_json(struct stat *s, json_t *object)
{
	s->line.len = 0;
	mp_ctl_add(&s->line, object);
	mp_out_write(&s->out, s->line.p, s->line.len);
	mp_out_flush(&s->out);
}

static json_t *events_json(const struct stat *s)
{
	json_t *all = json_object();
	size_t i;

	for (i = MP_MEM_RSS; i <= MP_MEM_PSS; i++)
		if (s->memory[i])
			json_object_set_new(all, mp_memstat_name((enum mp_memstat)i),
					    json_pack("{s:s}", ".bytes", "u64"));

	for (i = 0; i < s->events.n; i++) {
		char *type = mp_asprintf("stat:%s", s->events.v[i].type);

		json_object_set_new(all, type, json_pack("{s:s}", ".value", "u64"));
		free(type);
	}
	return all;
}

static void start(struct stat *s)
{
	json_t *header = mp_outlet_header(s->o->argv, s->target.n_cpus);
	struct itimerspec at = { { 0, 0 }, { 0, 0 } };
	size_t i;

	json_object_set_new(header, "events", events_json(s));
	at.it_interval.tv_sec = s->o->interval_ns / MP_NS_PER_SEC;
	at.it_interval.tv_nsec = s->o->interval_ns % MP_NS_PER_SEC;
	at.it_value = at.it_interval;
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->timer_fd < 0 || timerfd_settime(s->timer_fd, 0, &at, NULL) < 0)
		mp_die("cannot start a timer: %m");
	s->last_ns = mp_monotonic_ns();
	for (i = 0; i < s->n_counters && !s->target.on_exec; i++)
		ioctl(s->counters[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	write_json(s, header);
	if (s->o->command && mp_command_go(&s->command) < 0)
		mp_die("cannot run '%s': %m", s->command.name);
}

/* Until a signal, the end of the command, the duration, or so many events. */
static void run(struct stat *s)
{
	uint64_t end_ns = s->o->duration_ns ? s->last_ns + s->o->duration_ns : UINT64_MAX, ticks;
	struct pollfd fds[] = {
		{ .fd = s->timer_fd, .events = POLLIN },
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = s->command.pidfd, .events = POLLIN },
	};

	for (;;) {
		uint64_t now = mp_monotonic_ns();
		int wait = end_ns == UINT64_MAX ? -1
			   : now >= end_ns
				   ? 0
				   : (int)MP_MIN((end_ns - now + 999999) / 1000000, 1000000);

		if (poll(fds, MP_ARRAY_SIZE(fds), wait) < 0 && errno != EINTR)
			break;
		if (fds[1].revents || fds[2].revents || mp_monotonic_ns() >= end_ns)
			break;
		if (read(s->timer_fd, &ticks, sizeof(ticks)) != sizeof(ticks))
			continue;
		end_interval(s);
		if (s->out.error || (s->o->max_events && s->written >= s->o->max_events))
			return;
	}
	end_interval(s); /* a shorter one */
}

static void tell_cost(const struct stat *s)
{
	if (s->reads && !s->o->quiet && (s->o->verbose || isatty(STDERR_FILENO)))
		mp_say("reading memory took %.3f ms of CPU time each of %llu times",
		       (double)s->memory_ns / s->reads / 1e6, (unsigned long long)s->reads);
}

static void finish(struct stat *s)
{
	json_t *trailer = mp_ctl_trailer(MP_EVENT, s->written, 0);
	int status = 0;
	size_t i;

	if (s->o->command)
		status = mp_command_end(&s->command);
	json_object_set_new(trailer, "time", json_integer((json_int_t)s->last_ns));
	if (s->o->command)
		json_object_set_new(trailer, "status", json_integer(status));
	write_json(s, trailer);
	mp_out_close(&s->out);
	tell_cost(s);
	if (status && !s->o->quiet)
		mp_say("'%s' ended with status %d", s->command.name, status);
	for (i = 0; i < s->n_counters; i++)
		close(s->counters[i].fd);
	for (i = 0; i < s->n_groups; i++)
		free(s->groups[i].text);
	mp_probes_remove(&s->events.probes, s->tracefs);
	mp_events_release(&s->events);
	mp_target_release(&s->target);
	mp_tracefs_close(s->tracefs);
	mp_buf_release(&s->line);
	free(s->counters);
	free(s->groups);
	free(s->sums);
	close(s->timer_fd);
	close(s->signal_fd);
}

/* What is read and not counted, out of the list of events. */
static void take_memory(struct stat *s)
{
	struct mp_specs *specs = &s->o->specs;
	size_t i = 0;

	while (i < specs->n) {
		enum mp_memstat what = mp_memstat_find(specs->v[i].name);

		if (what == MP_MEM_NONE) {
			i++;
			continue;
		}
		s->memory[what] = s->any_memory = true;
		mp_specs_remove(specs, i);
	}
}

/* What can be asked of samples alone. */
static void check_events(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (mp_when_any(&events->v[i].when))
			mp_die("%s: %s chooses samples, and --stat counts", events->v[i].type,
			       mp_when_name(&events->v[i].when));
}

enum mp_status mp_stat(struct mp_record_options *o)
{
	struct stat s = { .o = o };
	char *error;

	take_memory(&s);

	o->events.stack = MP_STACK_NONE;
	if (!mp_perf_may_kernel())
		o->events.exclude_kernel = true;
	if (mp_events_resolve(&s.events, &o->specs, &o->events, &s.tracefs, &error) < 0)
		mp_die("%s", error);
	check_events(&s.events);
	mp_outlet_open(&s.out, o->output);
	s.signal_fd = mp_outlet_signals();
	find_target(&s);
	open_all(&s);
	start(&s);
	run(&s);
	finish(&s);
	mp_outlet_check(&s.out);
	return MP_OK;
}
