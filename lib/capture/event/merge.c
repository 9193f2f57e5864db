// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/merge.h"

#include <stdlib.h>

static bool has_payload(const struct mp_event *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->n_payload; i++)
		if (strcmp(e->payload[i]->name, name) == 0)
			return true;
	return false;
}

/* Keeps a filter only if both events have the same one. */
static void merge_filters(struct mp_event *to, const struct mp_event *from)
{
	char *both = NULL;

	if (to->filter && from->filter)
		both = strcmp(to->filter, from->filter) == 0
			       ? mp_strdup(to->filter)
			       : mp_asprintf("(%s) || (%s)", to->filter, from->filter);
	free(to->filter);
	to->filter = both;
}

enum { STACK_BITS = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };

static void copy_user_stack(struct mp_event *to, const struct mp_event *from)
{
	to->method = from->method;
	to->attr.exclude_callchain_user = from->attr.exclude_callchain_user;
	to->attr.sample_regs_user = from->attr.sample_regs_user;
	to->attr.sample_stack_user = from->attr.sample_stack_user;
	to->attr.sample_type |= from->attr.sample_type & STACK_BITS;
}

/* Combines the parts of both stacks; if both have a user part, its method is that of `to`. */
static void merge_stacks(struct mp_event *to, const struct mp_event *from)
{
	if (!from->max_stack)
		return;
	if (!to->max_stack) {
		to->attr.exclude_callchain_kernel = from->attr.exclude_callchain_kernel;
		copy_user_stack(to, from);
	} else {
		to->attr.exclude_callchain_kernel &= from->attr.exclude_callchain_kernel;
		if (to->method == MP_METHOD_UNSET)
			copy_user_stack(to, from);
		to->attr.sample_type |= from->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	}
	to->attr.sample_max_stack = MP_MAX(to->attr.sample_max_stack, from->attr.sample_max_stack);
	to->max_stack = MP_MAX(to->max_stack, from->max_stack);
}

static void merge_payload(struct mp_event *to, const struct mp_event *from)
{
	size_t n, kept = 0, i;
	const struct mp_tp_field *fields = mp_event_fields(to, &n);
	const struct mp_tp_field **payload = mp_alloc(n * sizeof(*payload));

	for (i = 0; i < n; i++)
		if (has_payload(to, fields[i].name) || has_payload(from, fields[i].name))
			payload[kept++] = &fields[i];
	free(to->payload);
	to->payload = payload;
	to->n_payload = kept;
}

/* Samples as often, and as precisely, as either event requires. */
static void merge_sampling(struct mp_event *to, const struct mp_event *from)
{
	if (from->each) { /* recording each occurrence also serves a request for samples */
		to->attr.freq = 0;
		to->attr.sample_period = 1;
		to->each = true;
	} else if (to->attr.freq && from->attr.freq) {
		to->attr.sample_freq = MP_MAX(to->attr.sample_freq, from->attr.sample_freq);
	} else if (!to->attr.freq && !from->attr.freq) {
		to->attr.sample_period = MP_MIN(to->attr.sample_period, from->attr.sample_period);
	}
	to->attr.precise_ip = MP_MAX(to->attr.precise_ip, from->attr.precise_ip);
	to->attr.exclude_user &= from->attr.exclude_user;
	to->attr.exclude_kernel &= from->attr.exclude_kernel;
	to->attr.exclude_hv &= from->attr.exclude_hv;
	to->attr.exclude_host &= from->attr.exclude_host;
	to->attr.exclude_guest &= from->attr.exclude_guest;
}

int mp_event_merge(struct mp_event *to, const struct mp_event *from)
{
	struct mp_traced_fields added = { from->tracing, from->tp };
	int result = 0;

	if (to->tracing)
		result =
			mp_tracing_merge(&(struct mp_traced_fields){ to->tracing, to->tp }, &added);
	merge_payload(to, from);
	merge_filters(to, from);
	merge_stacks(to, from);
	merge_sampling(to, from);
	/* the conditions differ: record all samples, which serves both */
	if (!mp_when_same(&to->when, &from->when))
		to->when = (struct mp_when){ .irqs_off = false };
	to->rated |= from->rated;
	to->wide |= from->wide;
	to->idle |= from->idle;
	to->context |= from->context;
	to->interval_ns = MP_MIN(to->interval_ns, from->interval_ns);
	to->top = to->top && from->top ? MP_MAX(to->top, from->top) : 0;
	to->attr.sample_type |= from->attr.sample_type & ~(uint64_t)STACK_BITS;
	return result;
}

static bool counts_the_same(const struct mp_event *a, const struct mp_event *b)
{
	return memcmp(&a->attr, &b->attr, sizeof(a->attr)) == 0 && !a->filter == !b->filter &&
	       (!a->filter || strcmp(a->filter, b->filter) == 0);
}

bool mp_event_same_ratio(const struct mp_event *a, const struct mp_event *b)
{
	if (!a->ratio || !b->ratio)
		return !a->ratio && !b->ratio;
	return counts_the_same(&a->ratio[0], &b->ratio[0]) &&
	       counts_the_same(&a->ratio[1], &b->ratio[1]);
}

/* Merges two events of the same type, or reports why they cannot be merged. */
static void merge_or_say(struct mp_event *to, const struct mp_event *from)
{
	if (!mp_event_same_ratio(to, from))
		mp_say("%s: given twice, with different events: counting those of the first",
		       to->type);
	else if (!to->agg && mp_event_merge(to, from) < 0)
		mp_say("%s: given twice, with fields of the same name or too many: recording those "
		       "of the first",
		       to->type);
}

/* Two aggregated events are the same if their aggregates have the same name, too. */
static bool is_same(const struct mp_event *a, const struct mp_event *b)
{
	if (!a->agg != !b->agg || strcmp(a->type, b->type) != 0)
		return false;
	return !a->agg || strcmp(a->agg->name, b->agg->name) == 0;
}

static struct mp_event *find_same(const struct mp_events *in, const struct mp_event *e)
{
	size_t i;

	for (i = 0; i < in->n; i++)
		if (is_same(&in->v[i], e))
			return &in->v[i];
	return NULL;
}

static bool adds_the_same(const struct mp_event *a, const struct mp_event *b)
{
	return a->agg->kind == b->agg->kind && a->attr.freq == b->attr.freq &&
	       a->attr.sample_period == b->attr.sample_period &&
	       strcmp(a->agg->weight, b->agg->weight) == 0 &&
	       memcmp(&a->agg->rule, &b->agg->rule, sizeof(a->agg->rule)) == 0;
}

/*
 * Finds the event that aggregates what `e` does; NULL: there is none. Then the aggregate of `e` gets
 * a name that is not in use: another weight of the same event is an aggregate of its own.
 */
static struct mp_event *find_aggregated(const struct mp_events *in, struct mp_event *e)
{
	char *given = mp_strdup(e->agg->name);
	struct mp_event *same;
	unsigned number;

	for (number = 1; (same = find_same(in, e)) && !adds_the_same(same, e); number++) {
		if (mp_event_agg_is_held(e->agg)) {
			mp_say("%s: given twice, with different terms: aggregating the first one",
			       e->type);
			break;
		}
		free(e->agg->name);
		e->agg->name = number == 1 ? mp_asprintf("%s:%s", given, e->agg->weight)
					   : mp_asprintf("%s:%s:%u", given, e->agg->weight, number);
	}
	free(given);
	return same;
}

void mp_events_merge(struct mp_events *to, struct mp_events *from)
{
	struct mp_event *same;
	size_t i;

	for (i = 0; i < from->n; i++) {
		same = from->v[i].agg ? find_aggregated(to, &from->v[i])
				      : find_same(to, &from->v[i]);
		if (same) {
			merge_or_say(same, &from->v[i]);
			mp_event_release(&from->v[i]);
			continue;
		}
		to->v = mp_grow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
		to->v[to->n++] = from->v[i];
	}
	from->n = 0;
	mp_probes_merge(&to->probes, &from->probes);
}
