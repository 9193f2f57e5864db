// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-kernel aggregation: programs aggregate events by stack (bpfaggregate.h), and their totals are
 * written at the end (aggregate.h). An aggregate that is not an event, "sum:blocked", is
 * represented by an event that never fires.
 */
#include <stdlib.h>

#include "lib/capture/aggregate/aggregate.h"
#include "lib/capture/bpf/bpfaggregate.h"
#include "lib/capture/event/aggregate_resolve.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/capture/ring/recording.h"
#include "lib/capture/session/symbolizer.h"

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const char *name = r->spec->name;
	struct mp_event_agg *agg;
	struct mp_event *e;

	if (strncmp(name, "sum:", 4) != 0)
		return CAP_OTHER;
	agg = mp_event_agg_named(name, r->options->agg_name ? r->options->agg_name : name);
	if (!agg)
		return CAP_UNKNOWN;
	e = mp_resolver_add(r, name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.sample_period = 1;
	e->max_stack = r->spec->max_stack ? (unsigned)r->spec->max_stack : r->options->max_stack;
	mp_resolver_use_agg(r, e, agg, mp_resolver_stack_part(r));
	if (!r->spec->agg.given)
		r->honoured |= MP_SPEC_AGG; /* by its name, whether or not --sum is given */
	e->once = true;
	return CAP_RESOLVED;
}

static void show(void *arg, const char *name, const char *what)
{
	struct cap_listing *l = arg;

	l->show(l->arg, &(struct cap_listed){ .name = name, .what = what });
}

static bool list(struct cap_listing *l)
{
	mp_event_agg_names_each(l->glob, show, l);
	return false;
}

static int try(const struct mp_events *events, char **error)
{
	return mp_events_any_aggregated(events) ? mp_bpf_aggregate_possible(error) : 0;
}

struct state {
	struct mp_bpf_aggregate *programs;
	struct mp_aggregator *aggregator;
};

static int open_aggregates(void **state, const struct cap_recording *r, char **error)
{
	struct mp_bpf_target target = mp_bpf_target_of(r);
	struct state *s;

	if (!mp_events_any_aggregated(r->events))
		return 0;
	*state = s = mp_zalloc(sizeof(*s));
	s->aggregator = mp_aggregator_new(r->events);
	s->programs = mp_bpf_aggregate_open(r->events, r->bpf_stacks, &target,
					    r->all_cpus && !r->target->n_cgroups, error);
	if (!s->programs)
		return -1;
	return mp_bpf_aggregate_attach(s->programs, r->rings, r->events, error);
}

static void start(void *state)
{
	mp_bpf_aggregate_start(((struct state *)state)->programs);
}

static void stop(void *state)
{
	mp_bpf_aggregate_stop(((struct state *)state)->programs);
}

static bool handle(void *state, const struct perf_event_header *record,
		   const struct cap_symbolizer *symbolizer)
{
	struct mp_agg_symbols symbols = { symbolizer->formatter, symbolizer->tasks,
					  symbolizer->names };

	return mp_aggregator_stack(((struct state *)state)->aggregator,
				   (const struct mp_agg_stack *)record, &symbols);
}

static void tick(void *state, uint64_t settled_ns)
{
	struct state *s = state;

	if (mp_bpf_aggregate_tick(s->programs, settled_ns, mp_aggregator_add, s->aggregator))
		mp_aggregator_settle(s->aggregator);
}

static bool write_totals(void *state, const struct cap_output *output)
{
	struct mp_formatter *formatter = output->symbolizer->formatter;
	struct mp_agg_output sections = { output->header, output->trailer, output->put,
					  output->arg };
	struct mp_aggregator_losses losses;
	struct mp_cut_aggregate_end end;
	struct state *s = state;

	mp_bpf_aggregate_finish(s->programs, mp_aggregator_add, s->aggregator, &end);
	mp_aggregator_write(s->aggregator, &end, &sections, &formatter->unwound);
	mp_aggregator_losses(s->aggregator, &end, &losses);
	mp_say_count(losses.count, "occurrence was not aggregated: a table was full",
		     "occurrences were not aggregated: a table was full");
	if (output->verbose)
		mp_say("aggregation: %zu stacks of processes, %zu different ones once symbolized; %llu were sent "
		       "again",
		       losses.stacks, losses.texts, (unsigned long long)losses.unsent);
	mp_say_count(losses.unknown, "occurrence has no stack: its stack did not arrive in time",
		     "occurrences have no stack: their stacks did not arrive in time");
	return losses.count || losses.unknown;
}

static void close_aggregates(void *state)
{
	struct state *s = state;

	mp_bpf_aggregate_free(s->programs);
	mp_aggregator_free(s->aggregator);
	free(s);
}

const struct cap_source cap_aggregates = {
	.name = "named aggregate",
	.heading = "In-kernel aggregation",
	.resolve = resolve,
	.list = list,
	.try = try,
	.open = open_aggregates,
	.start = start,
	.stop = stop,
	.record = MP_AGG_STACK,
	.handle = handle,
	.tick = tick,
	.write = write_totals,
	.close = close_aggregates,
};
