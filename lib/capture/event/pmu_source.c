// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of clocks, page faults and other software events, hardware events, and events of a
 * PMU.
 */
#include <stdlib.h>

#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/capture/host/arch.h"
#include "lib/capture/host/archs.h"

/* Checks that the conditions for samples can be tested for this event. */
static int set_when(struct mp_resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	const struct mp_when *when = &r->spec->when;

	if (mp_when_any(when) && e->each)
		return mp_resolver_fail(
			r,
			mp_asprintf("%s: %s is for sampled events, and each occurrence of this is "
				    "recorded (freq=HZ or period=N samples it)",
				    e->type, mp_when_name(when)));
	/*
	 * the interrupt of a timer comes when interrupts are enabled; other software events do not
	 * have one
	 */
	if (when->irqs_off && found->software)
		return mp_resolver_fail(
			r,
			mp_asprintf("%s: irqs-off: its interrupt never comes while interrupts are "
				    "disabled; hardware events work, as in cycles/irqs-off/",
				    e->type));
	if (when->irqs_off && !mp_arch_has_bpf())
		return mp_resolver_fail(
			r, mp_asprintf("%s: irqs-off: not supported on this processor architecture",
				       e->type));
	e->when = *when;
	return 0;
}

static int set_memory(struct mp_resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	if (r->spec->memory && found->software)
		return mp_resolver_fail(
			r,
			mp_asprintf("%s: only hardware events report accesses to memory", e->type));
	if (found->has_addr || found->memory || r->spec->memory) {
		e->attr.sample_type |= PERF_SAMPLE_ADDR;
		e->context |= MP_CTX_ADDR;
	}
	if (found->memory || r->spec->memory) {
		e->attr.sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
		e->context |= MP_CTX_LATENCY | MP_CTX_SOURCE;
	}
	return 0;
}

static void set_attr(struct mp_resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	const struct mp_spec *s = r->spec;

	e->attr.type = found->type;
	e->attr.config = found->config;
	e->attr.config1 = found->config1;
	e->attr.config2 = found->config2;
	e->attr.exclude_user = r->options->exclude_user || (s->kernel && !s->user);
	e->attr.exclude_kernel = r->options->exclude_kernel || (s->user && !s->kernel);
	e->attr.exclude_hv = e->attr.exclude_kernel;
	r->honoured |= MP_SPEC_SPACE;
	e->attr.exclude_guest = s->host && !s->guest;
	e->attr.exclude_host = s->guest && !s->host;
	if (!found->software)
		r->honoured |= MP_SPEC_HOST | (r->count ? MP_SPEC_GUEST : 0);
	if (!found->software && !r->count)
		r->honoured |= MP_SPEC_PRECISE | MP_SPEC_MEMORY;
	if (!r->count)
		r->honoured |= MP_SPEC_WHEN;
	e->attr.precise_ip = s->most_precise ? mp_pmu_precision(&e->attr) : s->precise;
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_pmu_event found;
	struct mp_event *e;
	char *error, *name;
	ptrdiff_t known;

	if (strchr(s->name, ':'))
		return CAP_OTHER;
	switch (mp_pmu_find(MP_PMU_DEVICES, s->name, s->config, &found, &error)) {
	case 0:
		return CAP_UNKNOWN;
	case -1:
		return mp_resolver_fail(r, error);
	}
	name = s->config ? mp_asprintf("%s/%s/", s->name, s->config) : mp_strdup(s->name);
	known = s->agg.given ? -1 : mp_resolver_find(r, name);
	if (known >= 0 && !mp_when_same(&r->events->v[known].when, &s->when)) {
		mp_resolver_fail(
			r,
			mp_asprintf("%s: given twice, with different conditions, which the stream "
				    "could not distinguish",
				    name));
		free(name);
		return CAP_FAILED;
	}
	e = mp_resolver_add(r, name);
	free(name);
	set_attr(r, e, &found);
	mp_resolver_set_rate(r, e, found.each);
	if (set_memory(r, e, &found) < 0 || set_when(r, e, &found) < 0 ||
	    mp_resolver_set_stack(r, e) < 0 || mp_resolver_set_aggregate(r, e) < 0)
		return CAP_FAILED;
	return mp_resolver_merge_last(r, known) < 0 ? CAP_FAILED : CAP_RESOLVED;
}

static void show(void *arg, const char *name, const char *what)
{
	struct cap_listing *l = arg;

	l->show(l->arg, &(struct cap_listed){ .name = name, .what = what });
}

static bool list(struct cap_listing *l)
{
	if (!strchr(l->glob, ':'))
		mp_pmu_each(l->glob, show, l);
	return false;
}

const struct cap_source mp_event_source_pmu = {
	.name = "PMU event",
	.heading = "Clocks, software and hardware events",
	.resolve = resolve,
	.list = list,
};
