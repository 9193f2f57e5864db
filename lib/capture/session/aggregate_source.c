// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-kernel aggregation: aggregates with a name of their own, "sum:blocked". An event that never fires
 * holds the place of each.
 */
#include "lib/capture/event/aggregate_resolve.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const char *name = r->spec->name;
	struct mp_event_agg *sum;
	struct mp_event *e;

	if (strncmp(name, "sum:", 4) != 0)
		return CAP_OTHER;
	sum = mp_event_agg_named(name, r->options->sum_name ? r->options->sum_name : name);
	if (!sum)
		return CAP_UNKNOWN;
	e = mp_resolver_add(r, name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.sample_period = 1;
	e->max_stack = r->spec->max_stack ? (unsigned)r->spec->max_stack : r->options->max_stack;
	mp_event_use_agg(e, sum, mp_resolver_stack_part(r));
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

const struct cap_source cap_aggregates = {
	.name = "aggregate",
	.resolve = resolve,
	.list = list,
};
