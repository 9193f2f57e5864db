// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/poll/stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/ring/ring.h"

/* A group of counters: those of a CPU, a process or thread, or a cgroup. */
struct group {
	int cpu;	 /* CPU of the group; -1: none */
	pid_t pid, tid;	 /* process and thread of the group; -1: none */
	uint64_t cgroup; /* id of the group's cgroup; 0: none */
	char comm[64];
	size_t comm_len;
};

/*
 * An open event. The values of all counters with the same group, event and part are added up; the
 * parts of a ratio are 0 and 1.
 */
struct counter {
	int fd;
	uint32_t group, event, part;
	uint64_t value, enabled, running; /* values at the previous reading; times are in ns */
};

/* Where a counter counts, as in perf_event_open(2). */
struct place {
	pid_t pid;
	int cpu;
	unsigned long flags;
};

/* The counts since the last mp_stat_taken(). */
struct sum {
	double value;
	uint64_t enabled, running;
};

struct mp_stat {
	const struct mp_events *events;
	const struct mp_sample_of *of;
	uint64_t interval_ns;
	struct group *groups;
	size_t n_groups, cap_groups;
	struct counter *counters;
	size_t n_counters, cap_counters;
	struct sum (*sums)[2]; /* sums by group, event and part: [group][event][part] */
};

static uint32_t add_group(struct mp_stat *s, const struct group *g)
{
	s->groups = mp_grow(s->groups, &s->cap_groups, s->n_groups + 1, sizeof(*s->groups));
	s->groups[s->n_groups] = *g;
	return s->n_groups++;
}

/*
 * The name that the kernel will give to the command: the last part of its path, at most 15 bytes.
 */
static void name_command(struct group *g, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	g->comm_len = MP_MIN(strlen(name), (size_t)15);
	memcpy(g->comm, name, g->comm_len);
}

static uint32_t add_task(struct mp_stat *s, pid_t pid, pid_t tid)
{
	struct group g = { .cpu = -1, .pid = pid, .tid = tid };

	if (s->of->command)
		name_command(&g, s->of->command);
	else if (!mp_proc_comm(pid, tid, g.comm, &g.comm_len))
		g.comm_len = 0;
	return add_group(s, &g);
}

static bool is_wanted(const struct mp_stat *s, const struct mp_event *e)
{
	return mp_event_is_counted(e) && e->interval_ns == s->interval_ns;
}

static struct perf_event_attr attr_for(const struct mp_stat *s, const struct mp_event *e)
{
	struct perf_event_attr attr = e->attr;

	attr.sample_type = 0;
	attr.sample_period = 0;
	attr.freq = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = s->of->target->inherit;
	attr.enable_on_exec = s->of->command != NULL;
	return attr;
}

/*
 * Opens the event of a counter. The second part of a ratio is in the group of the first, whose
 * descriptor is `leader`, and then counts whenever that does; events of two processor PMUs cannot
 * be in one group.
 */
static int open_part(const struct perf_event_attr *attr, const struct place *at, int leader)
{
	struct perf_event_attr grouped = *attr;
	int fd;

	if (leader >= 0) {
		grouped.disabled = 0;
		grouped.enable_on_exec = 0;
		fd = mp_ring_open_in_group(&grouped, at->pid, at->cpu, leader, at->flags);
		if (fd >= 0 || errno != EINVAL)
			return fd;
	}
	return mp_ring_open_in_group(attr, at->pid, at->cpu, -1, at->flags);
}

/* Opens a counter. 0; 1: the task has ended; -1 with `*error`. */
static int open_counter(struct mp_stat *s, const struct counter *c, const struct mp_event *e,
			const struct place *at, char **error)
{
	int leader = c->part ? s->counters[s->n_counters - 1].fd : -1;
	struct perf_event_attr attr = attr_for(s, e);
	int fd = open_part(&attr, at, leader);

	if (fd < 0 && errno == ESRCH)
		return 1;
	if (fd < 0) {
		*error = mp_ring_explain(e, &attr, errno);
		return -1;
	}
	if (e->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter) < 0) {
		*error = mp_asprintf("%s: the kernel does not accept the filter '%s': %s", e->type,
				     e->filter, strerror(errno));
		close(fd);
		return -1;
	}
	s->counters =
		mp_grow(s->counters, &s->cap_counters, s->n_counters + 1, sizeof(*s->counters));
	s->counters[s->n_counters] = *c;
	s->counters[s->n_counters++].fd = fd;
	return 0;
}

/* Opens the counter of an event, or both counters of a ratio. */
static int open_counted(struct mp_stat *s, uint32_t group, uint32_t event, const struct place *at,
			char **error)
{
	const struct mp_event *e = &s->events->v[event];
	struct counter c = { .group = group, .event = event };
	int result;

	if (!e->ratio)
		return open_counter(s, &c, e, at, error);
	result = open_counter(s, &c, &e->ratio[0], at, error);
	c.part = 1;
	return result ? result : open_counter(s, &c, &e->ratio[1], at, error);
}

/* Opens counters for `pid`: a task, -1, or, with PERF_FLAG_PID_CGROUP, a cgroup. */
static int open_counters(struct mp_stat *s, uint32_t group, pid_t pid, int cpu, unsigned long flags,
			 char **error)
{
	const struct place at = { pid, cpu, flags };
	int result = 0;
	uint32_t i;

	for (i = 0; i < s->events->n && result == 0; i++)
		if (is_wanted(s, &s->events->v[i]))
			result = open_counted(s, group, i, &at, error);
	return result < 0 ? -1 : 0;
}

static int open_process(struct mp_stat *s, pid_t pid, char **error)
{
	struct mp_pids tids = { NULL, 0, 0 };
	uint32_t group = add_task(s, pid, pid);
	int result = 0;
	size_t i;

	mp_proc_threads(pid, &tids);
	for (i = 0; i < tids.n && result == 0; i++)
		result = open_counters(s, group, tids.v[i], -1, 0, error);
	mp_pids_release(&tids);
	return result;
}

static int open_cgroup(struct mp_stat *s, const struct mp_cgroup *cgroup, char **error)
{
	struct group g = { .cpu = -1, .pid = -1, .tid = -1 };
	const struct mp_target *t = s->of->target;
	uint32_t group;
	struct stat st;
	int result = 0;
	size_t i;

	if (fstat(cgroup->fd, &st) == 0)
		g.cgroup = st.st_ino;
	group = add_group(s, &g);
	for (i = 0; i < t->n_cpus && result == 0; i++)
		result = open_counters(s, group, cgroup->fd, t->cpus[i], PERF_FLAG_PID_CGROUP,
				       error);
	return result;
}

static int open_all(struct mp_stat *s, char **error)
{
	const struct mp_target *t = s->of->target;
	const struct mp_pids *pids = s->of->pids, *tids = s->of->tids;
	bool cpus = !t->n_cgroups && !tids->n && !pids->n;
	struct group g = { .pid = -1, .tid = -1 };
	int result = 0;
	size_t i;

	for (i = 0; i < t->n_cgroups && result == 0; i++)
		result = open_cgroup(s, &t->cgroups[i], error);
	for (i = 0; i < tids->n && result == 0; i++)
		result = open_counters(s, add_task(s, mp_proc_process_of(tids->v[i]), tids->v[i]),
				       tids->v[i], -1, 0, error);
	for (i = 0; i < pids->n && result == 0; i++)
		result = open_process(s, pids->v[i], error);
	for (i = 0; cpus && i < t->n_cpus && result == 0; i++) {
		g.cpu = t->cpus[i];
		result = open_counters(s, add_group(s, &g), -1, g.cpu, 0, error);
	}
	return result;
}

struct mp_stat *mp_stat_open(const struct mp_events *events, uint64_t interval_ns,
			     const struct mp_sample_of *of, char **error)
{
	struct mp_stat *s = mp_zalloc(sizeof(*s));

	s->events = events;
	s->of = of;
	s->interval_ns = interval_ns;
	if (open_all(s, error) < 0) {
		mp_stat_free(s);
		return NULL;
	}
	s->sums = mp_zalloc(s->n_groups * events->n * sizeof(*s->sums));
	return s;
}

void mp_stat_free(struct mp_stat *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_counters; i++)
		close(s->counters[i].fd);
	free(s->counters);
	free(s->groups);
	free(s->sums);
	free(s);
}

void mp_stat_enable(struct mp_stat *s)
{
	size_t i;

	for (i = 0; i < s->n_counters && !s->of->command; i++)
		ioctl(s->counters[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * The counts of an event since it was last read, scaled as perf does it if events took turns on the
 * processor's counters.
 */
static void read_counter(struct mp_stat *s, struct counter *c)
{
	struct sum *sum = &s->sums[c->group * s->events->n + c->event][c->part];
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

static bool is_shared(const struct sum *sum)
{
	return sum->running < sum->enabled;
}

static void put_share(const struct sum *sum, char share[8])
{
	snprintf(share, 8, "%.4f", is_shared(sum) ? (double)sum->running / sum->enabled : 1.0);
}

static void put_count(const struct sum *sum, struct mp_sampled *r)
{
	r->raw.count.value = (uint64_t)(sum->value + 0.5);
	r->raw_len = offsetof(struct mp_sampled_count, share);
	if (!is_shared(sum))
		return;
	put_share(sum, r->raw.count.share);
	r->raw_len = sizeof(r->raw.count);
}

static void put_ratio(const struct sum sums[2], struct mp_sampled *r)
{
	struct mp_sampled_ratio *ratio = &r->raw.ratio;

	ratio->count = (uint64_t)(sums[0].value + 0.5);
	ratio->per = (uint64_t)(sums[1].value + 0.5);
	put_share(&sums[sums[1].running < sums[0].running], ratio->share);
	r->raw_len = ratio->per ? sizeof(*ratio) : offsetof(struct mp_sampled_ratio, value);
	if (ratio->per)
		snprintf(ratio->value, sizeof(ratio->value), "%.6f",
			 (double)ratio->count / ratio->per);
}

static void put_sums(const struct mp_stat *s, const struct group *g, uint32_t event,
		     const struct sum sums[2], struct mp_buf *records)
{
	struct mp_sampled *r = mp_sampled_add(records, event, 0);

	r->cpu = g->cpu;
	r->pid = g->pid;
	r->tid = g->tid;
	r->cgroup = g->cgroup;
	r->comm_len = (uint32_t)g->comm_len;
	memcpy(r->comm, g->comm, g->comm_len);
	if (s->events->v[event].ratio)
		put_ratio(sums, r);
	else
		put_count(&sums[0], r);
}

void mp_stat_read(struct mp_stat *s, struct mp_buf *records)
{
	uint32_t j;
	size_t i;

	if (s->of->target->inherit)
		mp_stat_enable(s); /* where a task was being created, see ring/attach.c */
	for (i = 0; i < s->n_counters; i++)
		read_counter(s, &s->counters[i]);
	for (i = 0; i < s->n_groups; i++)
		for (j = 0; j < s->events->n; j++)
			if (is_wanted(s, &s->events->v[j]))
				put_sums(s, &s->groups[i], j, s->sums[i * s->events->n + j],
					 records);
}

void mp_stat_taken(struct mp_stat *s)
{
	memset(s->sums, 0, s->n_groups * s->events->n * sizeof(*s->sums));
}
