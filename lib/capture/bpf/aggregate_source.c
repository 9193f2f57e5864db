// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-kernel aggregation: programs aggregate events by stack (bpfaggregate.h), and their totals go
 * through the queue. An aggregate that is not an event, "sum:blocked", is represented by an event
 * that never fires.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>

#include "lib/capture/bpf/bpfaggregate.h"
#include "lib/capture/event/aggregate_resolve.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/capture/ring/recording.h"
#include "lib/core/clock.h"

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

/* Totals in a record. */
enum { BATCH = MP_CUT_BODY_MAX / sizeof(struct mp_cut_total), CHUNK_BYTES = 64 << 10 };

struct state {
	struct mp_bpf_aggregate *programs;
	pthread_mutex_t lock; /* of the members below: another thread ends the recording */
	bool finished;
	struct mp_queue_filler totals;
	char record[UINT16_MAX + 1] __attribute__((aligned(8)));
};

static void put(struct state *s, enum mp_cut_record type, const void *body, size_t len)
{
	mp_cut_record_put(s->record, type, body, len, mp_monotonic_ns());
	mp_queue_put(&s->totals, (const struct perf_event_header *)s->record);
}

static void put_totals(void *arg, const struct mp_cut_total *totals, size_t n)
{
	size_t i, some;

	for (i = 0; i < n; i += some) {
		some = MP_MIN(n - i, (size_t)BATCH);
		put(arg, MP_CUT_TOTALS, totals + i, some * sizeof(*totals));
	}
}

static int open_aggregates(void **state, const struct cap_recording *r, char **error)
{
	struct mp_bpf_target target = mp_bpf_target_of(r);
	struct state *s;

	if (!mp_events_any_aggregated(r->events))
		return 0;
	*state = s = mp_zalloc(sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	s->totals = (struct mp_queue_filler){
		.queue = r->queue,
		.stream = mp_queue_add(r->queue, MP_QUEUE_READINGS, "aggregates", 0),
		.bytes = CHUNK_BYTES,
	};
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

/* If the queue is full, the totals stay in the kernel's tables. */
static void tick(void *state, uint64_t settled_ns)
{
	struct state *s = state;

	pthread_mutex_lock(&s->lock);
	if (!s->finished && !mp_queue_is_full(s->totals.queue, MP_QUEUE_READINGS)) {
		mp_bpf_aggregate_tick(s->programs, settled_ns, put_totals, s);
		mp_queue_flush(&s->totals);
	}
	pthread_mutex_unlock(&s->lock);
}

static void finish(void *state)
{
	struct state *s = state;
	struct mp_cut_aggregate_end end;

	pthread_mutex_lock(&s->lock);
	mp_bpf_aggregate_finish(s->programs, put_totals, s, &end);
	put(s, MP_CUT_TOTALS_END, &end, sizeof(end));
	mp_queue_flush(&s->totals);
	s->finished = true;
	pthread_mutex_unlock(&s->lock);
}

static void close_aggregates(void *state)
{
	struct state *s = state;

	mp_bpf_aggregate_free(s->programs);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const struct cap_source mp_bpf_source_aggregate = {
	.name = "named aggregate",
	.heading = "In-kernel aggregation",
	.resolve = resolve,
	.list = list,
	.try = try,
	.open = open_aggregates,
	.start = start,
	.stop = stop,
	.finish = finish,
	.tick = tick,
	.close = close_aggregates,
};
