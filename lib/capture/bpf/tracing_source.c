// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of kernel functions and raw tracepoints, each recorded by a BPF program of its own:
 * see traced.h.
 */
#include <stdlib.h>

#include "lib/capture/bpf/bpftracing.h"
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"
#include "lib/capture/event/tracingfilter.h"

/* Adds a software event whose samples only the program makes. */
static int add_tracing(struct mp_resolver *r, const char *name)
{
	const char *filter = r->spec->filter;
	struct mp_tracing_setup unused;
	struct mp_event *e;
	char *error, *type = mp_strndup(name, strcspn(name, "("));
	ptrdiff_t known = mp_resolver_find(r, type);

	e = mp_resolver_add(r, type);
	free(type);
	e->tracing = mp_tracing_parse(name, &e->tp, &error);
	if (!e->tracing)
		return mp_resolver_fail(r, error);
	if (filter && mp_tracing_filter(&unused, e->tp, filter, &error) < 0) {
		mp_resolver_fail(r, mp_asprintf("%s: %s", e->type, error));
		free(error);
		return -1;
	}
	e->filter = filter ? mp_strdup(filter) : NULL;
	r->honoured |= MP_SPEC_FILTER;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	e->attr.sample_period = 1;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	e->each = true;
	mp_resolver_write_fields(e);
	return mp_resolver_set_stack(r, e) < 0 ? -1 : mp_resolver_merge_last(r, known);
}

/* Adds an event that matches a glob, with the fields requested for all events of the glob. */
static void add_traced(void *arg, const char *name)
{
	struct mp_resolver *r = arg;
	const char *glob = r->spec->name, *rest = strchr(glob, ':') + 1;
	char *full =
		mp_asprintf("%.*s%s%s", (int)(rest - glob), glob, name, rest + strcspn(rest, "("));

	if (!r->failed)
		add_tracing(r, full);
	free(full);
}

static size_t parse(const char *text)
{
	enum mp_traced traced;
	const char *rest;

	return mp_tracing_kind(text, &traced, &rest) ? mp_spec_span(text, "/,") : 0;
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	bool glob, found = true;
	enum mp_traced traced;
	const char *rest;
	char *name;

	if (!mp_tracing_kind(s->name, &traced, &rest))
		return CAP_OTHER;
	name = mp_strndup(rest, strcspn(rest, "("));
	glob = strpbrk(name, "*?[");
	if (glob)
		found = mp_prototypes_each(traced, name, add_traced, r);
	else
		add_tracing(r, s->name);
	if (!found)
		mp_resolver_fail(r, mp_asprintf("%s: nothing in the kernel matches", s->name));
	free(name);
	return r->failed ? CAP_FAILED : CAP_RESOLVED;
}

/* Prints the parameters of a function or raw tracepoint, which are the fields that it may have. */
static void show(void *arg, const char *name)
{
	struct cap_listing *l = arg;
	int prefix = (int)strcspn(l->glob, ":") + 1;
	char *full = mp_asprintf("%.*s%s", prefix, l->glob, name), *error = NULL;
	struct cap_listed listed = { .name = full };
	struct mp_tp *tp = NULL;
	struct mp_tracing *t = l->fields ? mp_tracing_parse(full, &tp, &error) : NULL;

	listed.no_fields = error;
	if (tp) {
		listed.fields = tp->fields;
		listed.n_fields = tp->n_fields;
	}
	l->show(l->arg, &listed);
	mp_tracing_free(t);
	mp_tp_free(tp);
	free(error);
	free(full);
}

static bool list(struct cap_listing *l)
{
	enum mp_traced traced;
	const char *rest;

	if (!mp_tracing_kind(l->glob, &traced, &rest))
		return false;
	if (!mp_prototypes_each(traced, *rest ? rest : "*", show, l))
		l->error = mp_asprintf("the kernel's types (BTF) have nothing that matches '%s'",
				       l->glob);
	return true;
}

static int try(const struct mp_events *events, char **error)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (mp_tracings_try(&events->v[i], error) < 0)
			return -1;
	return 0;
}

static int open_programs(void **state, const struct cap_recording *r, char **error)
{
	struct mp_bpf_target target = mp_bpf_target_of(r);
	struct mp_tracings *t = NULL;
	bool any = false;
	int result;
	size_t i;

	for (i = 0; i < r->events->n; i++)
		any |= mp_tracings_has(&r->events->v[i]);
	result = any ? mp_tracings_open(&t, r->events, r->rings, &target, error) : 0;
	*state = t;
	return result;
}

static void start(void *state)
{
	mp_tracings_start(state);
}

static void stop(void *state)
{
	mp_tracings_stop(state);
}

static uint64_t account(void *state, size_t event, int cpu)
{
	return cpu < 0 ? mp_tracings_missed(state, event) : mp_tracings_fired(state, event, cpu);
}

static void close_programs(void *state)
{
	mp_tracings_free(state);
}

const struct cap_source mp_tracings_source = {
	.name = "traced function",
	.heading = "Functions and raw tracepoints of the kernel",
	.parse = parse,
	.resolve = resolve,
	.list = list,
	.try = try,
	.open = open_programs,
	.start = start,
	.stop = stop,
	.account = account,
	.close = close_programs,
};
