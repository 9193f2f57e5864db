// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/cut.h"

bool mp_event_of_any_task(const struct mp_event *e)
{
	return e->idle || (e->tp && strncmp(e->tp->name, "sched_", strlen("sched_")) == 0 &&
			   (e->tracing || strcmp(e->tp->system, "sched") == 0));
}

/* Whether samples of the event may come with an id of another program, see session/writer_events.c. */
static bool adopts(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config != PERF_COUNT_SW_CPU_CLOCK &&
	       a->config != PERF_COUNT_SW_TASK_CLOCK && a->config != PERF_COUNT_SW_DUMMY;
}

static void cut_payload(const struct mp_event *e, struct mp_cut_event *to)
{
	size_t n, i;
	const struct mp_tp_field *all = mp_event_fields(e, &n);

	to->payload = mp_zalloc(e->n_payload * sizeof(*to->payload));
	for (i = 0; i < e->n_payload; i++) {
		to->payload[i].at = *e->payload[i];
		to->payload[i].at.name = mp_strdup(e->payload[i]->name);
		to->payload[i].at.names = mp_names_copy(e->payload[i]->names);
		to->payload[i].number = (uint32_t)(e->payload[i] - all);
	}
	to->n_payload = e->n_payload;
}

static void cut_event(const struct mp_event *e, struct mp_cut_event *to)
{
	const struct mp_tracing *t = e->tracing;

	*to = (struct mp_cut_event){
		.type = mp_strdup(e->type),
		.sample_type = e->attr.sample_type,
		.sample_period = e->attr.sample_period,
		.sample_regs_user = e->attr.sample_regs_user,
		.sample_stack_user = e->attr.sample_stack_user,
		.sample_max_stack = e->attr.sample_max_stack,
		.freq = e->attr.freq,
		.context = e->context,
		.max_stack = e->max_stack,
		.method = e->method,
		.each = e->each,
		.common = e->tp != NULL,
		.any_task = mp_event_of_any_task(e),
		.stack_after = e->walk_on == MP_WALK_EVENT,
		.adopts = adopts(&e->attr),
		.own = e->own != NULL,
		.record = e->own ? e->own->record : 0,
		.exec = e->own && e->own->exec,
		.program = t != NULL,
		.program_bytes = t ? e->tp->size : 0,
		.texts = t && t->traced == MP_TRACED_CALL,
		.function = t && t->traced != MP_TRACED_POINT && t->traced != MP_TRACED_CALL
				    ? mp_strdup(t->name)
				    : NULL,
	};
	cut_payload(e, to);
}

static void cut_aggregates(const struct mp_events *events, struct mp_cut_events *to)
{
	struct mp_event_aggs aggs = { .n = 0 };
	const char *unit;
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (!events->v[i].agg)
			continue;
		mp_event_aggs_add(&aggs, events->v[i].agg);
		to->agg_frames = MP_MAX(to->agg_frames, events->v[i].max_stack);
	}
	to->aggs = mp_zalloc(aggs.n * sizeof(*to->aggs));
	for (i = 0; i < aggs.n; i++) {
		unit = mp_event_agg_unit(aggs.v[i]);
		to->aggs[i] = (struct mp_cut_agg){
			.name = mp_strdup(aggs.v[i]->name),
			.weight = mp_strdup(aggs.v[i]->weight),
			.unit = unit ? mp_strdup(unit) : NULL,
			.user = aggs.v[i]->rule.user,
			.held = mp_event_agg_is_held(aggs.v[i]),
		};
	}
	to->n_aggs = aggs.n;
}

void mp_events_cut(const struct mp_events *events, struct mp_cut_events *to)
{
	*to = (struct mp_cut_events){
		.v = mp_zalloc(events->n * sizeof(*to->v)),
		.silent = mp_events_all_aggregated(events),
	};
	for (to->n = 0; to->n < events->n; to->n++)
		cut_event(&events->v[to->n], &to->v[to->n]);
	cut_aggregates(events, to);
}
