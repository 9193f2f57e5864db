// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/capture/host/arch.h"
#include "lib/capture/event/fields.h"
#include "lib/capture/event/stack_mode.h"
#include "lib/capture/event/aggregate_resolve.h"
#include "lib/capture/event/tracingfilter.h"
#include "lib/capture/event/merge.h"
#include "lib/stream/esc.h"
#include "lib/core/suggest.h"

#define USUAL_NS 1000000000ull
#define SELDOM_NS (10 * USUAL_NS) /* adding up PSS stalls a process */

/* A resolving at work. */
struct resolver {
	struct mp_events *events;
	const struct mp_event_options *options;
	struct mp_tracefs **tracefs;
	const struct mp_spec *spec;
	char **error;
	bool failed;
	bool count; /* what the specification names is counted, not recorded */
};

static int fail(struct resolver *r, char *error)
{
	if (r->failed)
		free(error);
	else
		*r->error = error;
	r->failed = true;
	return -1;
}

/* What is counted has none. */
static int set_stack(struct resolver *r, struct mp_event *e)
{
	char *error;

	if (r->count || mp_event_set_stack(e, r->spec, r->options, &error) == 0)
		return 0;
	return fail(r, error);
}

/* How often: its own terms, then the options, then `each` or sampled. */
static void set_rate(struct resolver *r, struct mp_event *e, bool each)
{
	const struct mp_spec *s = r->spec;
	uint64_t period = s->period ? s->period : s->freq ? 0 : r->options->period;

	if (!period && !s->freq && each)
		period = 1;
	if (period) {
		e->attr.sample_period = period;
	} else {
		e->attr.freq = 1;
		e->attr.sample_freq = s->freq ? s->freq : r->options->freq;
	}
	e->each = period == 1;
	e->context |= MP_CTX_PERIOD;
	/*
	 * Some tracepoints count more than 1 each time (sched_stat_runtime: ns). Asked for the
	 * period, the kernel gives one sample with that number; not asked, as many samples. With
	 * another fixed period it must not be asked: it would sample each occurrence.
	 */
	if (e->attr.freq || e->each)
		e->attr.sample_type |= PERF_SAMPLE_PERIOD;
}

/* What is counted is another event than what is recorded. Owned by the caller. */
static char *type_of(const struct resolver *r, const char *name)
{
	struct mp_buf type = { NULL, 0, 0 };

	if (r->count)
		mp_buf_str(&type, MP_STR("stat:"));
	mp_esc_add(&type, mp_str(name), MP_ESC_TYPE);
	mp_buf_byte(&type, '\0');
	return type.p;
}

static struct mp_event *add_event(struct resolver *r, const char *name)
{
	struct mp_events *v = r->events;
	struct mp_event *e;

	v->v = mp_grow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
	e = &v->v[v->n++];
	*e = (struct mp_event){ .context = MP_CTX_CPU | MP_CTX_TASK };
	e->type = type_of(r, name);
	e->attr.size = sizeof(e->attr);
	e->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	e->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	e->attr.disabled = 1;
	e->attr.sample_id_all = 1;
	e->attr.use_clockid = 1;
	e->attr.clockid = CLOCK_MONOTONIC;
	if (r->options->cgroup) {
		e->attr.sample_type |= PERF_SAMPLE_CGROUP;
		e->context |= MP_CTX_CGROUP;
	}
	return e;
}

/* The event of a name that is recorded already; -1: none. */
static ptrdiff_t find_known(const struct resolver *r, const char *name)
{
	char *type = type_of(r, name);
	size_t i;

	for (i = 0; i < r->events->n; i++)
		if (!r->events->v[i].sum && strcmp(r->events->v[i].type, type) == 0)
			break;
	free(type);
	return i < r->events->n ? (ptrdiff_t)i : -1;
}

static enum mp_stack_part stack_part(const struct resolver *r)
{
	return r->spec->stack == MP_STACK_UNSET ? r->options->stack : r->spec->stack;
}

/* Adds the event up in the kernel, if that is asked for. */
static int set_sum(struct resolver *r, struct mp_event *e)
{
	const struct mp_agg_terms *terms = &r->spec->sum;
	enum mp_stack_part part = stack_part(r);
	const char *why;
	char *name;

	if (!terms->given && !r->options->sum)
		return 0;
	why = mp_event_why_no_agg(e, r->spec);
	if (why)
		return fail(r, mp_asprintf("%s: %s", e->type, why));
	/* below a trap of a program are frames of the trap alone */
	if (mp_spec_is_probe(r->spec->name))
		part &= ~MP_STACK_KERNEL;
	name = mp_event_agg_name(r->options->sum_name, e->type, terms);
	mp_event_use_agg(e, mp_event_agg_new(name, terms), part);
	free(name);
	e->once = mp_spec_is_probe(r->spec->name);
	return 0;
}

/* What the kernel puts before the arguments of a probe is where it stands: known, and no argument. */
static bool is_payload(const struct mp_tp_field *f)
{
	return strncmp(f->name, "__probe_", 8) != 0;
}

/* What only samples have, asked of something that is recorded each time. */
static int refuse_sampling(struct resolver *r, const char *type, bool tracepoint)
{
	if (mp_when_any(&r->spec->when))
		return fail(
			r,
			mp_asprintf("%s: %s chooses samples, of clocks and hardware events%s", type,
				    mp_when_name(&r->spec->when),
				    tracepoint
					    ? "; a tracepoint has the kernel's filter, as in "
					      "'common_flags & 1' (interrupts off; 4: need-resched)"
					    : ""));
	if (r->spec->memory)
		return fail(r, mp_asprintf("%s: only hardware events tell of memory", type));
	return 0;
}

static void write_all_fields(struct mp_event *e)
{
	size_t n, i;
	const struct mp_tp_field *fields = mp_event_fields(e, &n);

	e->payload = mp_alloc(n * sizeof(*e->payload));
	for (i = 0; i < n; i++)
		if (is_payload(&fields[i]))
			e->payload[e->n_payload++] = &fields[i];
}

static void load_tracepoint(struct resolver *r, const char *type, const char *system,
			    const char *name)
{
	struct mp_event *e;
	struct mp_tp *tp;
	const char *why;

	if (refuse_sampling(r, type, true) < 0)
		return;
	tp = mp_tracefs_load(*r->tracefs, system, name, &why);
	if (!tp) {
		fail(r, mp_asprintf("%s: %s", type, why));
		return;
	}
	e = add_event(r, type);
	e->tp = tp;
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = tp->id;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	e->filter = r->spec->filter ? mp_strdup(r->spec->filter) : NULL;
	write_all_fields(e);
	set_rate(r, e, true);
	set_stack(r, e);
	set_sum(r, e);
}

/* One that is asked for twice serves both: the last event becomes part of an earlier one, if there is one. */
static int unite_last(struct resolver *r, ptrdiff_t known)
{
	struct mp_event *last = &r->events->v[r->events->n - 1];
	int result = 0;

	if (known < 0)
		return 0;
	if (mp_event_merge(&r->events->v[known], last) < 0)
		result = fail(r, mp_asprintf("%s: given twice, with fields of one name or too many",
					     last->type));
	r->events->n--;
	mp_event_release(last);
	return result;
}

static void add_tracepoint(void *arg, const char *system, const char *name)
{
	struct resolver *r = arg;
	char *type = mp_asprintf("%s:%s", system, name);
	ptrdiff_t known = find_known(r, type);
	size_t n = r->events->n;

	if (!r->failed)
		load_tracepoint(r, type, system, name);
	if (r->events->n > n)
		unite_last(r, known);
	free(type);
}

static void near_tracepoint(void *arg, const char *system, const char *name)
{
	char *full = mp_asprintf("%s:%s", system, name);

	mp_suggest_try(arg, full);
	free(full);
}

static void near_other(void *arg, const char *name, const char *what)
{
	(void)what;
	mp_suggest_try(arg, name);
}

static void near_own(void *arg, const struct mp_builtin *own)
{
	mp_suggest_try(arg, own->name);
}

static int fail_unknown(struct resolver *r, const char *name)
{
	struct mp_suggest near;
	char *error;

	mp_suggest_init(&near, name);
	mp_pmu_each("*", near_other, &near);
	mp_builtin_each("*", near_own, &near);
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (*r->tracefs)
		mp_tracefs_each(*r->tracefs, "*:*", near_tracepoint, &near);
	if (near.best)
		error = mp_asprintf("no event '%s'; did you mean '%s'?", name, near.best);
	else
		error = mp_asprintf("no event '%s' (mp-record -l lists them)", name);
	mp_suggest_release(&near);
	return fail(r, error);
}

/* A sum that is no event by itself: an event that never comes holds its place. */
static int resolve_named_sum(struct resolver *r)
{
	const char *name = r->spec->name;
	struct mp_event_agg *sum =
		mp_event_agg_named(name, r->options->sum_name ? r->options->sum_name : name);
	struct mp_event *e;

	if (!sum)
		return fail_unknown(r, name);
	e = add_event(r, name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.sample_period = 1;
	e->max_stack = r->spec->max_stack ? (unsigned)r->spec->max_stack : r->options->max_stack;
	mp_event_use_agg(e, sum, stack_part(r));
	e->once = true;
	return 0;
}

static int resolve_tracepoints(struct resolver *r)
{
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (!*r->tracefs)
		return fail(r, mp_tracefs_advice(errno));
	if (r->spec->precise || r->spec->most_precise || r->spec->user || r->spec->kernel)
		return fail(r, mp_asprintf("%s: a tracepoint takes no modifiers", r->spec->name));
	if (mp_tracefs_each(*r->tracefs, r->spec->name, add_tracepoint, r) == 0)
		return fail_unknown(r, r->spec->name);
	return r->failed ? -1 : 0;
}

/* Whether the moments that are asked for can be told of this event's samples. */
static int set_when(struct resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	const struct mp_when *when = &r->spec->when;

	if (mp_when_any(when) && e->each)
		return fail(r, mp_asprintf("%s: %s chooses samples, and this is recorded each "
					   "time (freq=HZ or period=N samples it)",
					   e->type, mp_when_name(when)));
	/* the interrupt of a timer comes when they are enabled; other software events do not tell */
	if (when->irqs_off && found->software)
		return fail(r, mp_asprintf("%s: irqs-off: it never happens with interrupts "
					   "disabled; hardware events do, as cycles/irqs-off/",
					   e->type));
	if (when->irqs_off && !mp_arch_has_bpf())
		return fail(
			r, mp_asprintf("%s: irqs-off: not supported on this processor architecture",
				       e->type));
	e->when = *when;
	return 0;
}

static int set_memory(struct resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	if (r->spec->memory && found->software)
		return fail(r, mp_asprintf("%s: only hardware events tell of memory", e->type));
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

static void set_attr(const struct resolver *r, struct mp_event *e, const struct mp_pmu_event *found)
{
	const struct mp_spec *s = r->spec;

	e->attr.type = found->type;
	e->attr.config = found->config;
	e->attr.config1 = found->config1;
	e->attr.config2 = found->config2;
	e->attr.exclude_user = r->options->exclude_user || (s->kernel && !s->user);
	e->attr.exclude_kernel = r->options->exclude_kernel || (s->user && !s->kernel);
	e->attr.exclude_hv = e->attr.exclude_kernel;
	e->attr.precise_ip = s->most_precise ? mp_pmu_precision(&e->attr) : s->precise;
}

static int resolve_pmu(struct resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_pmu_event found;
	struct mp_event *e;
	char *error, *name;
	ptrdiff_t known;

	switch (mp_pmu_find(MP_PMU_DEVICES, s->name, s->config, &found, &error)) {
	case 0:
		return fail_unknown(r, s->name);
	case -1:
		return fail(r, error);
	}
	name = s->config ? mp_asprintf("%s/%s/", s->name, s->config) : mp_strdup(s->name);
	known = s->sum.given ? -1 : find_known(r, name);
	if (known >= 0 && !mp_when_same(&r->events->v[known].when, &s->when)) {
		fail(r,
		     mp_asprintf("%s: given twice, for different moments, which the stream would "
				 "not tell apart",
				 name));
		free(name);
		return -1;
	}
	e = add_event(r, name);
	free(name);
	set_attr(r, e, &found);
	set_rate(r, e, found.each);
	if (set_memory(r, e, &found) < 0 || set_when(r, e, &found) < 0 || set_stack(r, e) < 0 ||
	    set_sum(r, e) < 0)
		return -1;
	return unite_last(r, known);
}

static void add_probe(void *arg, const struct mp_probe *probe)
{
	struct resolver *r = arg;
	struct mp_event *e;

	if (r->failed)
		return;
	if (probe->system) {
		load_tracepoint(r, probe->type, probe->system, probe->name);
		return;
	}
	if (refuse_sampling(r, probe->type, false) < 0)
		return;
	e = add_event(r, probe->type);
	e->attr.type = probe->bp_type ? PERF_TYPE_BREAKPOINT : probe->event.type;
	e->attr.config = probe->event.config;
	e->attr.config1 = probe->event.config1;
	e->attr.config2 = probe->event.config2;
	if (probe->bp_type) {
		e->attr.bp_type = probe->bp_type;
		e->attr.bp_addr = probe->bp_addr;
		e->attr.bp_len = probe->bp_len;
		e->attr.sample_type |= PERF_SAMPLE_ADDR;
		e->context |= MP_CTX_ADDR;
	}
	set_rate(r, e, true);
	set_stack(r, e);
	set_sum(r, e);
}

static int resolve_probe(struct resolver *r)
{
	const struct mp_spec *s = r->spec;
	struct mp_probe_means means;
	char *error;

	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (*r->tracefs)
		mp_probes_sweep(*r->tracefs);
	/*
	 * An event of the PMU is not inherited by threads and children, whatever its attr says; and the
	 * program of a sum is for the probe, not for one of its events.
	 */
	means = (struct mp_probe_means){
		.tracefs = *r->tracefs,
		.tracefs_wanted =
			s->filter || s->sum.given || r->options->sum || r->options->inherit,
		.files = r->options->files,
	};
	if (mp_probes_make(&r->events->probes, &means, s->name, add_probe, r, &error) < 0)
		return fail(r, error);
	return r->failed ? -1 : 0;
}

/* Samples of a software event, which only its program makes. */
static int add_tracing(struct resolver *r, const char *name)
{
	const char *filter = r->spec->filter;
	struct mp_tracing_setup unused;
	struct mp_event *e;
	char *error, *type = mp_strndup(name, strcspn(name, "("));
	ptrdiff_t known = find_known(r, type);

	e = add_event(r, type);
	free(type);
	e->tracing = mp_tracing_parse(name, &e->tp, &error);
	if (!e->tracing)
		return fail(r, error);
	if (filter && mp_tracing_filter(&unused, e->tp, filter, &error) < 0) {
		fail(r, mp_asprintf("%s: %s", e->type, error));
		free(error);
		return -1;
	}
	e->filter = filter ? mp_strdup(filter) : NULL;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	e->attr.sample_period = 1;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	e->each = true;
	write_all_fields(e);
	return set_stack(r, e) < 0 ? -1 : unite_last(r, known);
}

/* One that a glob matches, with the fields that are asked for of all. */
static void add_traced(void *arg, const char *name)
{
	struct resolver *r = arg;
	const char *glob = r->spec->name, *rest = strchr(glob, ':') + 1;
	char *full =
		mp_asprintf("%.*s%s%s", (int)(rest - glob), glob, name, rest + strcspn(rest, "("));

	if (!r->failed)
		add_tracing(r, full);
	free(full);
}

static int resolve_tracing(struct resolver *r, enum mp_traced traced, const char *rest)
{
	const struct mp_spec *s = r->spec;
	char *name = mp_strndup(rest, strcspn(rest, "("));
	bool glob = strpbrk(name, "*?["), found = true;

	if (s->period || s->freq || s->sum.given || s->count)
		fail(r, mp_asprintf("%s: it is recorded each time (mp-fold(1) adds up)", s->name));
	else if (refuse_sampling(r, s->name, false) == 0 && glob)
		found = mp_prototypes_each(traced, name, add_traced, r);
	else if (!r->failed)
		add_tracing(r, s->name);
	if (!found)
		fail(r, mp_asprintf("%s: the kernel has none that matches", s->name));
	free(name);
	return r->failed ? -1 : 0;
}

/* What the terms of a specification say of an event that is read. */
static void set_reading(const struct resolver *r, struct mp_event *e, uint64_t usual_ns)
{
	e->context |= MP_CTX_DUR;
	e->top = r->spec->top;
	e->interval_ns = r->spec->interval_ns	   ? r->spec->interval_ns
			 : r->options->interval_ns ? r->options->interval_ns
						   : usual_ns;
}

/* It was resolved as if it were recorded. */
static void count_event(const struct resolver *r, struct mp_event *e)
{
	e->own = &mp_builtin_count;
	e->each = false;
	e->context = r->options->count_context;
	set_reading(r, e, USUAL_NS);
	free(e->payload);
	e->n_payload = 0;
	write_all_fields(e);
}

static void add_own(void *arg, const struct mp_builtin *own)
{
	struct resolver *r = arg;
	struct mp_event *e;

	if (find_known(r, own->name) >= 0)
		return;
	e = add_event(r, own->name);
	e->own = own;
	e->each = own->kind == MP_BUILTIN_RECORD;
	mp_builtin_set_attr(own, &e->attr);
	write_all_fields(e);
	if (e->each) { /* who tells of a cgroup is a sample */
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
		e->context &= ~MP_CTX_CGROUP;
	} else {
		e->context &= ~MP_CTX_CPU;
		set_reading(r, e, own->kind == MP_BUILTIN_PSS ? SELDOM_NS : USUAL_NS);
	}
}

/* Those of ours, and, by a glob, of tracepoints. 1: there is none of ours. */
static int resolve_own(struct resolver *r)
{
	const struct mp_spec *s = r->spec;

	r->count = false;
	if (strcspn(s->name, "*?[") < strcspn(s->name, ":") ||
	    !mp_builtin_each(s->name, add_own, r)) {
		r->count = s->count;
		return 1;
	}
	if (s->filter || s->user || s->kernel || s->precise)
		return fail(r, mp_asprintf("%s: it takes neither filter nor modifier (mp-select(1) "
					   "chooses afterwards)",
					   s->name));
	if (s->count && strncmp(s->name, "mem:", 4) != 0)
		return fail(r, mp_asprintf("%s: the kernel does not count it", s->name));
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	if (strpbrk(s->name, "*?[") && *r->tracefs)
		mp_tracefs_each(*r->tracefs, s->name, add_tracepoint, r);
	return r->failed ? -1 : 0;
}

static int resolve_name(struct resolver *r)
{
	int own = resolve_own(r);
	enum mp_traced traced;
	const char *rest;

	if (own <= 0)
		return own;
	if (mp_tracing_kind(r->spec->name, &traced, &rest))
		return resolve_tracing(r, traced, rest);
	if (mp_spec_is_probe(r->spec->name))
		return resolve_probe(r);
	if (strncmp(r->spec->name, "sum:", 4) == 0)
		return resolve_named_sum(r);
	return strchr(r->spec->name, ':') ? resolve_tracepoints(r) : resolve_pmu(r);
}

static int resolve(struct resolver *r)
{
	size_t i = r->events->n;

	if (resolve_name(r) < 0)
		return -1;
	for (; i < r->events->n; i++) {
		struct mp_event *e = &r->events->v[i];

		if (r->count && mp_when_any(&e->when))
			return fail(r, mp_asprintf("%s: %s chooses samples, and --stat counts",
						   e->type, mp_when_name(&e->when)));
		if (r->count)
			count_event(r, e);
		if (r->spec->interval_ns && !mp_event_is_read(e))
			return fail(r,
				    mp_asprintf("%s: interval= is for stat:* and mem:*", e->type));
		if (r->spec->top && (!mp_event_is_read(e) || r->count))
			return fail(r, mp_asprintf("%s: top= is for mem:*", e->type));
	}
	return 0;
}

int mp_events_resolve(struct mp_events *events, const struct mp_specs *specs,
		      const struct mp_event_options *options, struct mp_tracefs **tracefs,
		      char **error)
{
	struct resolver r = { events, options, tracefs, NULL, error, false, false };
	size_t i;

	for (i = 0; i < specs->n; i++) {
		r.spec = &specs->v[i];
		if (resolve(&r) < 0)
			return -1;
	}
	if (r.failed)
		return -1;
	return options->fields ? mp_events_choose_fields(events, options->fields, error) : 0;
}
