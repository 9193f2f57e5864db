// SPDX-License-Identifier: GPL-2.0-only
/* Polled values: memory of processes, "mem:rss", and counters, "stat:EVENT" of any event. */
#include <stdlib.h>

#include "lib/capture/event/builtin_source.h"
#include "lib/capture/poll/sampler.h"
#include "lib/capture/ring/recording.h"

#define USUAL_NS 1000000000ull
#define SELDOM_NS (10 * USUAL_NS) /* adding up PSS stalls a process */

static void add(void *arg, const struct mp_builtin *own)
{
	struct mp_resolver *r = arg;
	struct mp_event *e;

	if (mp_resolver_find(r, own->name) >= 0)
		return;
	e = mp_resolver_add(r, own->name);
	e->own = own;
	mp_builtin_set_attr(own, &e->attr);
	mp_resolver_write_fields(e);
	e->context &= ~MP_CTX_CPU;
	mp_resolver_set_reading(r, e, own->kind == MP_BUILTIN_PSS ? SELDOM_NS : USUAL_NS);
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	return mp_builtin_resolve(r, "mem:", add);
}

static bool list(struct cap_listing *l)
{
	mp_builtin_list(l, true);
	return false;
}

struct state {
	struct mp_samplers *samplers;
	struct mp_sample_of of;
};

static int open_samplers(void **state, const struct cap_recording *r, char **error)
{
	struct state *s = mp_zalloc(sizeof(*s));

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

static bool report(void *state, const struct cap_output *output)
{
	mp_samplers_report(((struct state *)state)->samplers, output->verbose);
	return false;
}

static void close_samplers(void *state)
{
	mp_samplers_free(((struct state *)state)->samplers);
	free(state);
}

const struct cap_source mp_samplers_source = {
	.name = "polled value",
	.heading = "Memory of processes, read at an interval",
	.resolve = resolve,
	.list = list,
	.open = open_samplers,
	.start = start,
	.begin = begin,
	.bound = bound,
	.finish = finish,
	.trailer = trailer,
	.write = report,
	.close = close_samplers,
};
