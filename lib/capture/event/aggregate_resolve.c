// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/aggregate_resolve.h"

void mp_event_use_agg(struct mp_event *e, struct mp_event_agg *agg, enum mp_stack_part part)
{
	e->agg = agg;
	e->agg->rule.kernel = !!(part & MP_STACK_KERNEL);
	e->agg->rule.user = !!(part & MP_STACK_USER);
	e->max_stack = part ? e->max_stack : 0;
	e->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					   PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW);
	e->attr.sample_max_stack = 0;
	e->attr.sample_stack_user = 0;
	e->attr.sample_regs_user = 0;
	e->context = 0;
	e->method = MP_METHOD_UNSET;
	e->each = false;
}

const char *mp_event_why_no_agg(const struct mp_event *e, const struct mp_spec *spec)
{
	const struct mp_agg_rule *rule = &spec->agg.rule;

	if (spec->count)
		return "stat: counts, and does not aggregate by stack";
	if (e->tp && (e->n_payload || e->filter))
		return spec->probe
			       ? "an aggregated probe takes neither arguments nor a filter"
			       : "a tracepoint is not aggregated in the kernel (mp-fold does it)";
	if (e->probe && (spec->period || spec->freq))
		return "an aggregated probe takes every=N, not period= or freq=";
	if (strncmp(spec->name, "uprobe:", 7) == 0 || strncmp(spec->name, "uretprobe:", 10) == 0)
		return NULL;
	if (mp_when_any(&spec->when))
		return "an event has one program: it is aggregated, or its samples have a "
		       "condition";
	if (e->attr.bp_type || spec->probe)
		return "only uprobes and sampled events are aggregated in the kernel";
	if (rule->every)
		return "every= is for probes: samples are taken by freq= or period=";
	if (spec->agg.given && rule->weight[0] != MP_AGG_COUNT && rule->weight[0] != MP_AGG_PERIOD)
		return "samples are aggregated by count or period";
	return NULL;
}
