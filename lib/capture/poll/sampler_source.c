// SPDX-License-Identifier: GPL-2.0-only
/* Polled values: memory of processes, "mem:rss", and counters, "stat:EVENT" of any event. */
#include <stdlib.h>

#include "lib/capture/event/builtin_source.h"
#include "lib/capture/event/ratio.h"
#include "lib/capture/poll/sampler.h"
#include "lib/capture/ring/recording.h"
#include "lib/stream/glob.h"

#define USUAL_NS 1000000000ull
#define SELDOM_NS (10 * USUAL_NS) /* ten times as long, since computing PSS stalls the process */

static void add(void *arg, const struct mp_builtin *own)
{
	struct mp_resolver *r = arg;
	ptrdiff_t known = mp_resolver_find(r, own->name);
	struct mp_event *e = mp_resolver_add(r, own->name);

	e->own = own;
	mp_builtin_set_attr(own, &e->attr);
	mp_resolver_write_fields(e);
	e->context &= ~MP_CTX_CPU;
	mp_resolver_set_reading(r, e, own->kind == MP_BUILTIN_PSS ? SELDOM_NS : USUAL_NS);
	r->honoured |= MP_SPEC_COUNT | MP_SPEC_TOP;
	mp_resolver_merge_last(r, known);
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	return mp_builtin_resolve(r, "mem:", add);
}

static void list_ratios(struct cap_listing *l)
{
	bool hardware = mp_pmu_has_hardware();
	const struct mp_ratio *ratio;
	char *name, *what;

	for (ratio = mp_ratios; ratio->name; ratio++) {
		name = mp_asprintf("stat:%s", ratio->name);
		what = mp_asprintf("ratio of (%s)", ratio->events);
		if ((hardware || !ratio->hardware) && mp_glob_plain(l->glob, name))
			l->show(l->arg, &(struct cap_listed){ .name = name, .what = what });
		free(name);
		free(what);
	}
}

static bool list(struct cap_listing *l)
{
	mp_builtin_list(l, true);
	list_ratios(l);
	return false;
}

struct state {
	struct mp_samplers *samplers;
	struct mp_sample_of of;
};

/*
 * Refuses targets that cannot be polled. Memory does not belong to a CPU. A counter of a CPU counts
 * the events of all tasks, and the count of a task on one CPU would be extrapolated to the task's
 * time on the others.
 */
static int check_target(const struct cap_recording *r, char **error)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; i < r->events->n && !why; i++) {
		const struct mp_event *e = &r->events->v[i];

		if (mp_event_is_read(e) && !mp_event_is_counted(e) && !r->all_cpus)
			why = "memory does not belong to a CPU: not with -C";
		if (mp_event_is_counted(e) && !r->all_cpus && !r->whole)
			why = "tasks are counted on all CPUs: -C not with -p, -t or a command";
		if (mp_event_is_counted(e) && r->user_excludes)
			why = "counters cannot exclude processes: not with --exclude-pid";
		if (why)
			*error = mp_asprintf("%s: %s", e->type, why);
	}
	return why ? -1 : 0;
}

static int open_samplers(void **state, const struct cap_recording *r, char **error)
{
	struct state *s;

	if (check_target(r, error) < 0)
		return -1;
	s = mp_zalloc(sizeof(*s));
	s->of = (struct mp_sample_of){
		.target = r->target,
		.pids = r->command ? &r->target->tids : r->processes,
		.tids = r->tids,
		.exclude = r->exclude,
		.command = r->command ? r->command_name : NULL,
	};
	s->samplers = mp_samplers_start(r->events, &s->of, r->queue, r->threads, error);
	if (s->samplers) {
		*state = s;
		return 0;
	}
	free(s);
	return *error ? -1 : 0;
}

static void start(void *state)
{
	mp_samplers_enable(((struct state *)state)->samplers);
}

static void begin(void *state)
{
	mp_samplers_go(((struct state *)state)->samplers);
}

static uint64_t bound(void *state)
{
	return mp_samplers_bound(((struct state *)state)->samplers);
}

static void finish(void *state)
{
	mp_samplers_stop(((struct state *)state)->samplers);
}

static void trailer(void *state, json_t *to)
{
	mp_samplers_json(((struct state *)state)->samplers, to);
}

static void report(void *state, bool verbose)
{
	mp_samplers_report(((struct state *)state)->samplers, verbose);
}

static void close_samplers(void *state)
{
	mp_samplers_free(((struct state *)state)->samplers);
	free(state);
}

const struct cap_source mp_samplers_source = {
	.name = "polled value",
	.heading = "Memory of processes and ratios of counters, read at an interval",
	.resolve = resolve,
	.list = list,
	.open = open_samplers,
	.start = start,
	.begin = begin,
	.bound = bound,
	.finish = finish,
	.trailer = trailer,
	.report = report,
	.close = close_samplers,
};
