// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/fields.h"

#include <stdlib.h>

#include "lib/core/suggest.h"
#include "lib/stream/glob.h"

static const struct {
	const char *name;
	enum mp_context bit;
} context_names[] = {
	{ "cpu", MP_CTX_CPU },	       { "pid", MP_CTX_PID },	    { "tid", MP_CTX_TID },
	{ "comm", MP_CTX_COMM },       { "period", MP_CTX_PERIOD }, { "addr", MP_CTX_ADDR },
	{ "cgroup", MP_CTX_CGROUP },   { "stack", MP_CTX_STACK },   { "dur", MP_CTX_DUR },
	{ "latency", MP_CTX_LATENCY }, { "op", MP_CTX_OP },	    { "level", MP_CTX_LEVEL },
	{ "snoop", MP_CTX_SNOOP },     { "tlb", MP_CTX_TLB },	    { "lock", MP_CTX_LOCK },
	{ "nspid", MP_CTX_NSPID },     { "nstid", MP_CTX_NSTID },
};

/* Keeps the payload fields whose name, with a dot in front, matches one of `globs`. */
static void choose_payload(struct mp_event *e, char **globs, size_t n, bool *used)
{
	size_t i, j, kept = 0;

	for (i = 0; i < e->n_payload; i++) {
		bool keep = false;

		for (j = 0; j < n; j++) {
			if (!mp_glob_plain(globs[j] + 1, e->payload[i]->name))
				continue;
			keep = true;
			used[j] = true;
		}
		if (keep)
			e->payload[kept++] = e->payload[i];
	}
	e->n_payload = kept;
}

/* `more`: the list begins with a +, so that "addr" is "+addr", the addresses of frames. */
static int context_bit(const char *name, bool more)
{
	size_t i;

	if (strcmp(name, more ? "addr" : "+addr") == 0)
		return MP_CTX_PLACES;
	for (i = 0; i < MP_ARRAY_SIZE(context_names); i++)
		if (strcmp(context_names[i].name, name) == 0)
			return context_names[i].bit;
	return 0;
}

/* Adds fields that are recorded only on request, if they apply to the event. */
static void widen(struct mp_event *e, unsigned context)
{
	if (e->agg || e->context & MP_CTX_STACK)
		e->context |= context & MP_CTX_PLACES;
	if (e->agg)
		return;
	if (context & MP_CTX_CGROUP && !e->own) { /* only events with samples have it */
		e->attr.sample_type |= PERF_SAMPLE_CGROUP;
		e->context |= MP_CTX_CGROUP;
	}
	if (e->context & MP_CTX_TASK)
		e->context |= context & MP_CTX_INNER;
}

static void narrow(struct mp_event *e, unsigned context)
{
	widen(e, context);
	e->context &= context;
	if (!(e->context & MP_CTX_ADDR))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_ADDR;
	if (!(e->context & MP_CTX_LATENCY))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT;
	if (!(e->context & MP_CTX_SOURCE))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_DATA_SRC;
	if (!(e->context & MP_CTX_STACK)) {
		e->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
						   PERF_SAMPLE_STACK_USER);
		e->attr.sample_max_stack = 0;
		e->max_stack = 0;
		e->method = MP_METHOD_UNSET;
	}
}

/* Only the first failure is reported. */
static void fail_field(const struct mp_events *events, const char *name, char **error)
{
	struct mp_suggest near;
	size_t i, j, n;

	if (*error)
		return;
	mp_suggest_init(&near, name[0] == '.' ? name + 1 : name);
	for (i = 0; i < MP_ARRAY_SIZE(context_names); i++)
		mp_suggest_try(&near, context_names[i].name);
	for (i = 0; i < events->n; i++) {
		const struct mp_tp_field *fields = mp_event_fields(&events->v[i], &n);

		for (j = 0; j < n; j++)
			mp_suggest_try(&near, fields[j].name);
	}
	*error = near.best ? mp_asprintf("no field '%s'; did you mean '%s%s'?", name,
					 context_bit(near.best, false) ? "" : ".", near.best)
			   : mp_asprintf("no field '%s' (mp-record -l -v EVENT lists them)", name);
	mp_suggest_release(&near);
}

int mp_events_choose_fields(struct mp_events *events, const char *fields, char **error)
{
	char *list = mp_strdup(fields), *save = NULL, *name;
	char **globs = NULL;
	size_t n = 0, cap = 0, i;
	unsigned context = 0, had = 0;
	bool *used, more = list[0] == '+';

	*error = NULL;
	for (name = strtok_r(list + more, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (name[0] == '.') {
			globs = mp_grow(globs, &cap, n + 1, sizeof(*globs));
			globs[n++] = name;
		} else if (context_bit(name, more)) {
			context |= context_bit(name, more);
		} else {
			fail_field(events, name, error);
		}
	}
	if (more && !*error && (n || context & ~(unsigned)MP_CTX_REQUESTED))
		*error = mp_asprintf("--fields %s: + adds cgroup, nspid, nstid and addr", fields);
	used = mp_zalloc(n * sizeof(*used));
	for (i = 0; i < events->n; i++) {
		if (more) {
			widen(&events->v[i], context);
			had |= events->v[i].context;
			continue;
		}
		choose_payload(&events->v[i], globs, n, used);
		narrow(&events->v[i], context);
	}
	if (more && !*error && events->n && context & ~had)
		*error = mp_asprintf("--fields %s: none of the events has all of these", fields);
	for (i = 0; i < n && !more; i++)
		if (!used[i])
			fail_field(events, globs[i], error);
	free(used);
	free(globs);
	free(list);
	return *error ? -1 : 0;
}
