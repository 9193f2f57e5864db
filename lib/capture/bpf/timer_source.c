// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of ticks: "timer:HZ" is an event on each CPU, HZ times a second. With "if=EVENT>N", or
 * "<N", only ticks are recorded at which the CPU's counter of EVENT has grown by more, or less,
 * than N since the preceding tick: a BPF program (bpf/timer.bpf.c), attached to the event of the
 * timer, compares them.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf/timer.h"
#include "lib/capture/bpf/bpf.h"
#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/capture/ring/recording.h"
#include "lib/stream/glob.h"

/* The kernel's timers of events do not tick faster than every 10 us. */
enum { HZ_MAX = 100000, NS_PER_SEC = 1000000000 };

/* A parsed condition "EVENT>N". */
struct condition {
	char *event;
	struct mp_timer_setting setting;
};

/* --- planning --------------------------------------------------------------------------------- */

/* Parses a condition, which is kept as the filter of its event. Returns 0, or -1. */
static int parse_condition(struct condition *c, struct mp_str text)
{
	size_t len = 0;
	uint64_t limit;

	while (len < text.len && text.p[len] != '<' && text.p[len] != '>')
		len++;
	if (!len || len == text.len ||
	    mp_num_u64((struct mp_str){ text.p + len + 1, text.len - len - 1 }, &limit) < 0)
		return -1;
	c->setting = (struct mp_timer_setting){ .limit = limit, .below = text.p[len] == '<' };
	c->event = mp_strndup(text.p, len);
	return 0;
}

/* Finds the counter that a condition names. Returns 0, or -1 with `*error`. */
static int find_counter(const char *name, struct mp_pmu_event *found, char **error)
{
	int result = mp_pmu_find(MP_PMU_DEVICES, name, NULL, found, error);

	if (result == 0)
		*error = mp_asprintf("no event '%s' that counts (mp-record -l lists them)", name);
	return result > 0 ? 0 : -1;
}

/* Checks the term if=. Returns its text, owned by the caller; NULL if it is not given, or wrong. */
static char *find_condition(struct mp_resolver *r)
{
	const char *terms = r->spec->terms;
	struct mp_pmu_event found;
	struct mp_str key, value;
	struct condition c;
	char *error;

	while (mp_spec_next_term(&terms, &key, &value)) {
		if (!mp_str_eq(key, MP_STR("if")))
			continue;
		if (parse_condition(&c, value) < 0) {
			mp_resolver_fail(r,
					 mp_asprintf("%s: if=%.*s: not EVENT>N or EVENT<N, as in "
						     "if=page-faults>100",
						     r->spec->name, MP_STR_ARGS(value)));
			return NULL;
		}
		if (find_counter(c.event, &found, &error) < 0) {
			mp_resolver_fail(r, mp_asprintf("%s: if=: %s", r->spec->name, error));
			free(error);
		}
		free(c.event);
		return r->failed ? NULL : mp_strndup(value.p, value.len);
	}
	return NULL;
}

static int add(struct mp_resolver *r, uint64_t hz, char *condition)
{
	const struct mp_spec *s = r->spec;
	struct mp_event *e = mp_resolver_add(r, s->name);

	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	e->attr.sample_period = NS_PER_SEC / hz;
	e->attr.exclude_user = r->options->exclude_user || (s->kernel && !s->user);
	e->attr.exclude_kernel = r->options->exclude_kernel || (s->user && !s->kernel);
	e->attr.exclude_hv = e->attr.exclude_kernel;
	e->context |= MP_CTX_PERIOD;
	r->honoured |= MP_SPEC_SPACE;
	e->filter = condition;
	e->programmed = condition != NULL;
	return mp_resolver_set_stack(r, e);
}

/* Adds an event; one that is requested twice gets the stacks of both requests. */
static enum cap_resolved add_or_merge(struct mp_resolver *r, uint64_t hz, char *condition)
{
	ptrdiff_t known = mp_resolver_find(r, r->spec->name);
	const char *other = known < 0 ? NULL : r->events->v[known].filter;

	if (known >= 0 && (!condition != !other || (other && strcmp(condition, other) != 0))) {
		free(condition);
		return mp_resolver_fail(r, mp_asprintf("%s: given twice, with different if=",
						       r->spec->name));
	}
	if (add(r, hz, condition) < 0 || mp_resolver_merge_last(r, known) < 0)
		return CAP_FAILED;
	return CAP_RESOLVED;
}

/* Recognizes "timer:" and digits; tracefs has tracepoints "timer:NAME". */
static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	uint64_t hz;
	char *condition;

	if (strncmp(s->name, "timer:", 6) != 0 || !isdigit((unsigned char)s->name[6]))
		return CAP_OTHER;
	if (mp_num_u64(mp_str(s->name + 6), &hz) < 0 || !hz || hz > HZ_MAX)
		return mp_resolver_fail(r, mp_asprintf("%s: not a frequency from 1 to %d Hz",
						       s->name, HZ_MAX));
	condition = find_condition(r);
	return r->failed ? CAP_FAILED : add_or_merge(r, hz, condition);
}

static bool list(struct cap_listing *l)
{
	if (mp_glob_plain(l->glob, "timer:HZ"))
		l->show(l->arg,
			&(struct cap_listed){ .name = "timer:HZ",
					      .what = "a tick of each CPU, HZ times a second" });
	return false;
}

/* --- recording -------------------------------------------------------------------------------- */

/* The program of one event, and its counters. */
struct loaded {
	struct bpf_object *object;
	int *fds;
	size_t n, cap;
};

struct state {
	struct loaded *v;
	size_t n, cap;
};

static bool is_ours(const struct mp_event *e)
{
	return e->programmed && strncmp(e->type, "timer:", 6) == 0;
}

static int refuse(const struct mp_event *e, char **error)
{
	if (errno == ENOSYS)
		*error = mp_asprintf(
			"%s: if= needs BPF, and this mp-record was built without clang", e->type);
	else if (errno == EPERM)
		*error = mp_asprintf("%s: if= needs BPF: root, or CAP_BPF with CAP_PERFMON",
				     e->type);
	else
		*error = mp_asprintf("%s: if=: the kernel does not accept the BPF program: %s",
				     e->type, strerror(errno));
	return -1;
}

/* Loads the program. Returns 0, or -1 with errno. */
static int load(struct loaded *l, const struct mp_timer_setting *setting,
		const struct mp_pids *exclude)
{
	struct bpf_map *map;
	int error;

	l->object = mp_bpf_open("timer");
	if (!l->object)
		return -1;
	map = bpf_object__find_map_by_name(l->object, ".rodata");
	if (!map || bpf_map__set_initial_value(map, setting, sizeof(*setting)) < 0)
		return -1;
	error = bpf_object__load(l->object);
	errno = -error;
	return error < 0 ? -1 : mp_bpf_add_pids(l->object, "excluded", exclude);
}

/* Opens a counter on a CPU, which the program reads. Returns 0, or -1 with `*error`. */
static int open_counter(struct loaded *l, const struct mp_event *e,
			const struct mp_pmu_event *counted, int cpu, char **error)
{
	struct perf_event_attr attr = {
		.type = counted->type,
		.size = sizeof(attr),
		.config = counted->config,
		.config1 = counted->config1,
		.config2 = counted->config2,
		.exclude_kernel = e->attr.exclude_kernel,
		.exclude_hv = e->attr.exclude_kernel,
	};
	struct mp_event named = *e; /* a copy for messages about the counter */
	int map = bpf_object__find_map_fd_by_name(l->object, "counters"), fd;

	named.type = mp_asprintf("%s/if=%s/", e->type, e->filter);
	fd = mp_ring_open_event(&named, &attr, -1, cpu, 0, error);
	free(named.type);
	if (fd < 0)
		return -1;
	l->fds = mp_grow(l->fds, &l->cap, l->n + 1, sizeof(*l->fds));
	l->fds[l->n++] = fd;
	return bpf_map_update_elem(map, &cpu, &fd, BPF_ANY) < 0 ? refuse(e, error) : 0;
}

/* Sets up the program for the event, which is open on each CPU. Returns 0, or -1 with `*error`. */
static int attach(struct loaded *l, const struct cap_recording *r, size_t event,
		  const struct mp_pmu_event *counted, char **error)
{
	int program = bpf_program__fd(bpf_object__find_program_by_name(l->object, "tick"));
	const struct mp_event *e = &r->events->v[event];
	size_t i;

	for (i = 0; i < r->rings->n_counters; i++) {
		const struct mp_counter *c = &r->rings->counters[i];

		if (c->event != event)
			continue;
		if (open_counter(l, e, counted, r->rings->v[c->ring].cpu, error) < 0)
			return -1;
		if (ioctl(c->fd, PERF_EVENT_IOC_SET_BPF, program) < 0)
			return refuse(e, error);
	}
	return 0;
}

static int open_one(struct loaded *l, const struct cap_recording *r, size_t event, char **error)
{
	const struct mp_event *e = &r->events->v[event];
	struct mp_pmu_event counted;
	struct condition c;
	int result;

	if (!r->whole || r->target->n_cgroups) {
		*error = mp_asprintf(
			"%s: if= compares counters of CPUs: not with -p, -t, --cgroup or a "
			"command without -a",
			e->type);
		return -1;
	}
	parse_condition(&c, mp_str(e->filter));
	result = find_counter(c.event, &counted, error);
	free(c.event);
	if (result < 0)
		return -1;
	if (load(l, &c.setting, r->exclude) < 0)
		return refuse(e, error);
	return attach(l, r, event, &counted, error);
}

static int open_timers(void **state, const struct cap_recording *r, char **error)
{
	struct state *s = NULL;
	size_t i;

	for (i = 0; i < r->events->n; i++) {
		if (!is_ours(&r->events->v[i]))
			continue;
		if (!s)
			*state = s = mp_zalloc(sizeof(*s));
		s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n] = (struct loaded){ .object = NULL };
		if (open_one(&s->v[s->n++], r, i, error) < 0)
			return -1;
	}
	return 0;
}

static void close_timers(void *state)
{
	struct state *s = state;
	size_t i, j;

	for (i = 0; i < s->n; i++) {
		for (j = 0; j < s->v[i].n; j++)
			close(s->v[i].fds[j]);
		free(s->v[i].fds);
		bpf_object__close(s->v[i].object);
	}
	free(s->v);
	free(s);
}

static const char *const terms[] = { "if", NULL };

const struct cap_source mp_bpf_source_timer = {
	.name = "timer",
	.heading = "Timers",
	.terms = terms,
	.resolve = resolve,
	.list = list,
	.open = open_timers,
	.close = close_timers,
};
