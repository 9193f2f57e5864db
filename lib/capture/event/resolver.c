// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/resolver.h"

#include <stdlib.h>
#include <time.h>

#include "lib/capture/event/aggregate_resolve.h"
#include "lib/capture/event/filter_names.h"
#include "lib/capture/event/merge.h"
#include "lib/capture/event/stack_mode.h"
#include "lib/stream/esc.h"

int mp_resolver_fail(struct mp_resolver *r, char *error)
{
	if (r->failed)
		free(error);
	else
		*r->error = error;
	r->failed = true;
	return -1;
}

struct mp_tracefs *mp_resolver_tracefs(struct mp_resolver *r)
{
	if (!*r->tracefs)
		*r->tracefs = mp_tracefs_open();
	return *r->tracefs;
}

bool mp_resolver_is_glob(const struct mp_resolver *r)
{
	return strpbrk(r->spec->name, "*?[");
}

/* Sets the stack of an event. Counters have none. */
int mp_resolver_set_stack(struct mp_resolver *r, struct mp_event *e)
{
	char *error;

	if (!r->count)
		r->honoured |= MP_SPEC_STACK | MP_SPEC_METHOD;
	if (r->count || mp_event_set_stack(e, r->spec, r->options, &error) == 0)
		return 0;
	return mp_resolver_fail(r, error);
}

/*
 * Sets how often the event is recorded: as its own terms say, or else the options, or else `each`.
 */
void mp_resolver_set_rate(struct mp_resolver *r, struct mp_event *e, bool each)
{
	const struct mp_spec *s = r->spec;
	uint64_t period = s->period ? s->period : s->freq ? 0 : r->options->period;

	r->honoured |= r->count ? MP_SPEC_COUNT | MP_SPEC_INTERVAL : MP_SPEC_RATE;
	e->rated = !r->count;
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
	 * Some tracepoints count more than 1 each time (sched_stat_runtime: ns). If the period is
	 * requested, the kernel writes one sample with that number; if not, it writes that many
	 * samples. With another fixed period it must not be requested, since each occurrence would
	 * be sampled.
	 */
	if (e->attr.freq || e->each)
		e->attr.sample_type |= PERF_SAMPLE_PERIOD;
}

/*
 * The type of an event that is counted, which differs from that of the same event when it is
 * recorded. Owned by the caller.
 */
static char *type_of(const struct mp_resolver *r, const char *name)
{
	struct mp_buf type = { NULL, 0, 0 };

	if (r->count)
		mp_buf_str(&type, MP_STR("stat:"));
	mp_esc_add(&type, mp_str(name), MP_ESC_TYPE);
	mp_buf_byte(&type, '\0');
	return type.p;
}

struct mp_event *mp_resolver_add(struct mp_resolver *r, const char *name)
{
	struct mp_events *v = r->events;
	struct mp_event *e;

	v->v = mp_grow(v->v, &v->cap, v->n + 1, sizeof(*v->v));
	e = &v->v[v->n++];
	*e = (struct mp_event){ .context = MP_CTX_CPU | MP_CTX_TASK };
	e->type = type_of(r, name);
	e->probe = r->spec->probe;
	e->user_probe = mp_spec_is_user_probe(r->spec);
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

/* The index of a recorded event with this name; -1 if there is none. */
ptrdiff_t mp_resolver_find(const struct mp_resolver *r, const char *name)
{
	char *type = type_of(r, name);
	size_t i;

	for (i = 0; i < r->events->n; i++)
		if (!r->events->v[i].agg && strcmp(r->events->v[i].type, type) == 0)
			break;
	free(type);
	return i < r->events->n ? (ptrdiff_t)i : -1;
}

enum mp_stack_part mp_resolver_stack_part(const struct mp_resolver *r)
{
	return r->spec->stack == MP_STACK_UNSET ? r->options->stack : r->spec->stack;
}

void mp_resolver_use_agg(struct mp_resolver *r, struct mp_event *e, struct mp_event_agg *agg,
			 enum mp_stack_part part)
{
	const struct mp_spec *s = r->spec;
	bool by_bpf = s->method == MP_METHOD_AUTO || s->method == MP_METHOD_BPF;

	r->honoured = (r->honoured & ~(unsigned)MP_SPEC_METHOD) | MP_SPEC_STACK;
	if (by_bpf || !(part & MP_STACK_USER))
		r->honoured |= MP_SPEC_METHOD;
	mp_event_use_agg(e, agg, part);
}

/* Aggregates the event in the kernel, if requested. */
int mp_resolver_set_aggregate(struct mp_resolver *r, struct mp_event *e)
{
	const struct mp_agg_terms *terms = &r->spec->agg;
	enum mp_stack_part part = mp_resolver_stack_part(r);
	const char *why;
	char *name;

	if (!terms->given && !r->options->aggregate)
		return 0;
	why = mp_event_why_no_agg(e, r->spec);
	if (why)
		return mp_resolver_fail(r, mp_asprintf("%s: %s", e->type, why));
	/* the kernel part of the stack of a probe on a program has only the frames of the trap */
	if (e->probe)
		part &= ~MP_STACK_KERNEL;
	r->honoured |= MP_SPEC_AGG;
	name = mp_event_agg_name(r->options->agg_name, e->type, terms);
	mp_resolver_use_agg(r, e, mp_event_agg_new(name, terms), part);
	free(name);
	e->once = e->probe;
	e->rated = !e->probe;
	return 0;
}

/*
 * Whether a field is payload: the address of the probe, which the kernel puts before the arguments,
 * is not.
 */
static bool is_payload(const struct mp_tp_field *f)
{
	return strncmp(f->name, "__probe_", 8) != 0;
}

void mp_resolver_write_fields(struct mp_event *e)
{
	size_t n, i;
	const struct mp_tp_field *fields = mp_event_fields(e, &n);

	e->payload = mp_alloc(n * sizeof(*e->payload));
	for (i = 0; i < n; i++)
		if (is_payload(&fields[i]))
			e->payload[e->n_payload++] = &fields[i];
}

void mp_resolver_add_tracepoint(struct mp_resolver *r, const char *type, const char *system,
				const char *name)
{
	char *filter = NULL, *error;
	struct mp_event *e;
	struct mp_tp *tp;
	const char *why;

	if (mp_when_any(&r->spec->when)) {
		mp_resolver_fail(
			r, mp_asprintf("%s: %s is for sampled events, such as clocks and hardware "
				       "events; a tracepoint has the kernel's filter, as in "
				       "'common_flags & 1' (interrupts off; 4: need-resched)",
				       type, mp_when_name(&r->spec->when)));
		return;
	}
	tp = mp_tracefs_load(mp_resolver_tracefs(r), system, name, &why);
	if (!tp) {
		mp_resolver_fail(r, mp_asprintf("%s: %s", type, why));
		return;
	}
	if (r->spec->filter) {
		filter = mp_tp_filter(tp, r->spec->filter, &error);
		if (!filter) {
			mp_resolver_fail(r, mp_asprintf("%s: %s", type, error));
			free(error);
			mp_tp_free(tp);
			return;
		}
	}
	e = mp_resolver_add(r, type);
	e->tp = tp;
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = tp->id;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	e->filter = filter;
	r->honoured |= MP_SPEC_FILTER;
	mp_resolver_write_fields(e);
	mp_resolver_set_rate(r, e, true);
	mp_resolver_set_stack(r, e);
	mp_resolver_set_aggregate(r, e);
}

/*
 * Merges the last event into an earlier one of the same name, if there is one, which then serves
 * both requests.
 */
int mp_resolver_merge_last(struct mp_resolver *r, ptrdiff_t known)
{
	struct mp_event *last = &r->events->v[r->events->n - 1];
	int result = 0;

	if (known < 0)
		return 0;
	if (r->count)
		mp_resolver_set_reading(r, last, MP_RESOLVER_COUNTED_NS);
	if (!mp_event_same_ratio(&r->events->v[known], last))
		result = mp_resolver_fail(r, mp_asprintf("%s: given twice, with different events",
							 last->type));
	else if (mp_event_merge(&r->events->v[known], last) < 0)
		result = mp_resolver_fail(
			r, mp_asprintf("%s: given twice, with fields of the same name or too many",
				       last->type));
	r->events->n--;
	mp_event_release(last);
	return result;
}

void mp_resolver_set_reading(struct mp_resolver *r, struct mp_event *e, uint64_t usual_ns)
{
	r->honoured |= MP_SPEC_INTERVAL;
	e->context |= MP_CTX_DUR;
	e->top = r->spec->top;
	e->interval_ns = r->spec->interval_ns	   ? r->spec->interval_ns
			 : r->options->interval_ns ? r->options->interval_ns
						   : usual_ns;
}
