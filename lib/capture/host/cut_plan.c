// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/cut_plan.h"

#include <stdlib.h>

#include "lib/capture/host/cut_code.h"

static void release_event(struct mp_cut_event *e)
{
	size_t i;

	for (i = 0; i < e->n_payload; i++) {
		free(e->payload[i].at.name);
		mp_names_free(e->payload[i].at.names);
	}
	free(e->payload);
	free(e->function);
	free(e->type);
}

void mp_cut_events_release(struct mp_cut_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		release_event(&events->v[i]);
	for (i = 0; i < events->n_aggs; i++) {
		free(events->aggs[i].name);
		free(events->aggs[i].weight);
		free(events->aggs[i].unit);
	}
	free(events->v);
	free(events->aggs);
	*events = (struct mp_cut_events){ .n = 0 };
}

void mp_cut_plan_release(struct mp_cut_plan *plan)
{
	mp_cut_events_release(&plan->events);
	free(plan->cpus);
	free(plan->counters);
	mp_pids_release(&plan->exclude);
	mp_pids_release(&plan->own);
	mp_pids_release(&plan->sources);
	mp_pids_release(&plan->found);
	free(plan->kernel_id);
	*plan = (struct mp_cut_plan){ .n_rings = 0 };
}

void mp_cut_end_release(struct mp_cut_end *end)
{
	free(end->counts);
	free(end->common);
	free(end->trailer);
	*end = (struct mp_cut_end){ .n_counts = 0 };
}

/* --- as bytes --------------------------------------------------------------------------------- */

static void code_names_part(struct mp_cut_code *c, struct mp_names_part *p)
{
	size_t i;

	MP_CUT_NUMBER(c, p->kind);
	MP_CUT_NUMBER(c, p->when.offset);
	MP_CUT_NUMBER(c, p->when.size);
	MP_CUT_NUMBER(c, p->when.value);
	MP_CUT_NUMBER(c, p->when.equal);
	MP_CUT_NUMBER(c, p->mask);
	mp_cut_code_list(c, (void **)&p->v, &p->n, sizeof(*p->v));
	for (i = 0; i < p->n; i++) {
		MP_CUT_NUMBER(c, p->v[i].value);
		mp_cut_code_text(c, &p->v[i].text);
	}
	mp_cut_code_text(c, &p->delim);
	mp_cut_code_text(c, &p->other);
}

static void code_names(struct mp_cut_code *c, struct mp_names **names)
{
	struct mp_names read = { .n = 0 }, *n = c->to && *names ? *names : &read;
	size_t i;

	mp_cut_code_list(c, (void **)&n->v, &n->n, sizeof(*n->v));
	for (i = 0; i < n->n; i++)
		code_names_part(c, &n->v[i]);
	if (c->to)
		return;
	*names = read.n ? mp_memdup(&read, sizeof(read)) : NULL;
	if (!read.n)
		free(read.v);
}

static void code_field(struct mp_cut_code *c, struct mp_cut_field *f)
{
	mp_cut_code_text(c, &f->at.name);
	MP_CUT_NUMBER(c, f->at.kind);
	MP_CUT_NUMBER(c, f->at.place);
	MP_CUT_NUMBER(c, f->at.offset);
	MP_CUT_NUMBER(c, f->at.size);
	MP_CUT_NUMBER(c, f->at.elem);
	MP_CUT_NUMBER(c, f->at.is_array);
	code_names(c, &f->at.names);
	MP_CUT_NUMBER(c, f->number);
}

static void code_event(struct mp_cut_code *c, struct mp_cut_event *e)
{
	size_t i;

	mp_cut_code_text(c, &e->type);
	MP_CUT_NUMBER(c, e->sample_type);
	MP_CUT_NUMBER(c, e->sample_period);
	MP_CUT_NUMBER(c, e->sample_regs_user);
	MP_CUT_NUMBER(c, e->sample_stack_user);
	MP_CUT_NUMBER(c, e->sample_max_stack);
	MP_CUT_NUMBER(c, e->freq);
	MP_CUT_NUMBER(c, e->context);
	mp_cut_code_list(c, (void **)&e->payload, &e->n_payload, sizeof(*e->payload));
	for (i = 0; i < e->n_payload; i++)
		code_field(c, &e->payload[i]);
	MP_CUT_NUMBER(c, e->max_stack);
	MP_CUT_NUMBER(c, e->method);
	MP_CUT_NUMBER(c, e->each);
	MP_CUT_NUMBER(c, e->common);
	MP_CUT_NUMBER(c, e->any_task);
	MP_CUT_NUMBER(c, e->stack_after);
	MP_CUT_NUMBER(c, e->adopts);
	MP_CUT_NUMBER(c, e->own);
	MP_CUT_NUMBER(c, e->record);
	MP_CUT_NUMBER(c, e->exec);
	MP_CUT_NUMBER(c, e->program);
	MP_CUT_NUMBER(c, e->program_bytes);
	MP_CUT_NUMBER(c, e->texts);
	mp_cut_code_text(c, &e->function);
}

static void code_agg(struct mp_cut_code *c, struct mp_cut_agg *a)
{
	mp_cut_code_text(c, &a->name);
	mp_cut_code_text(c, &a->weight);
	mp_cut_code_text(c, &a->unit);
	MP_CUT_NUMBER(c, a->user);
	MP_CUT_NUMBER(c, a->held);
}

static void code_events(struct mp_cut_code *c, struct mp_cut_events *events)
{
	size_t i;

	mp_cut_code_list(c, (void **)&events->v, &events->n, sizeof(*events->v));
	for (i = 0; i < events->n; i++)
		code_event(c, &events->v[i]);
	mp_cut_code_list(c, (void **)&events->aggs, &events->n_aggs, sizeof(*events->aggs));
	for (i = 0; i < events->n_aggs; i++)
		code_agg(c, &events->aggs[i]);
	MP_CUT_NUMBER(c, events->agg_frames);
	MP_CUT_NUMBER(c, events->silent);
}

static void code_pids(struct mp_cut_code *c, struct mp_pids *pids)
{
	mp_cut_code_bytes(c, (void **)&pids->v, &pids->n, sizeof(*pids->v));
	pids->cap = pids->n;
}

static void code_plan(struct mp_cut_code *c, struct mp_cut_plan *p)
{
	code_events(c, &p->events);
	mp_cut_code_bytes(c, (void **)&p->cpus, &p->n_rings, sizeof(*p->cpus));
	mp_cut_code_bytes(c, (void **)&p->counters, &p->n_counters, sizeof(*p->counters));
	code_pids(c, &p->exclude);
	code_pids(c, &p->own);
	MP_CUT_NUMBER(c, p->uid);
	code_pids(c, &p->sources);
	code_pids(c, &p->found);
	mp_cut_code_text(c, &p->kernel_id);
	MP_CUT_NUMBER(c, p->max_events);
	MP_CUT_NUMBER(c, p->rotate_bytes);
	MP_CUT_NUMBER(c, p->rotate_ns);
	MP_CUT_NUMBER(c, p->everyone);
	MP_CUT_NUMBER(c, p->inner);
	MP_CUT_NUMBER(c, p->user_stacks);
	MP_CUT_NUMBER(c, p->walks);
	MP_CUT_NUMBER(c, p->counts);
	MP_CUT_NUMBER(c, p->with_command);
	MP_CUT_NUMBER(c, p->quiet);
	MP_CUT_NUMBER(c, p->verbose);
	MP_CUT_NUMBER(c, p->watched);
}

static bool is_names_part(const struct mp_names_part *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!p->v[i].text)
			return false;
	return p->kind < MP_NAMES_KINDS && p->when.size <= sizeof(uint64_t) &&
	       (p->kind != MP_NAMES_FLAGS || p->delim);
}

static bool are_names(const struct mp_names *names)
{
	size_t i;

	for (i = 0; names && i < names->n; i++)
		if (!is_names_part(&names->v[i]))
			return false;
	return true;
}

static bool is_field(const struct mp_cut_field *f)
{
	const struct mp_tp_field *at = &f->at;

	return at->name && at->kind <= MP_TP_STRING && at->place <= MP_TP_REL_LOC &&
	       (at->elem == 1 || at->elem == 2 || at->elem == 4 || at->elem == 8) &&
	       (at->place == MP_TP_FIXED || at->size == sizeof(uint32_t)) && are_names(at->names);
}

static bool is_event(const struct mp_cut_event *e)
{
	size_t i;

	for (i = 0; i < e->n_payload; i++)
		if (!is_field(&e->payload[i]))
			return false;
	return e->type && e->method >= MP_METHOD_UNSET && e->method < MP_METHODS;
}

/* Whether a plan that was read is complete, and its indices are within bounds. */
static bool is_plan(const struct mp_cut_plan *p)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		if (!is_event(&p->events.v[i]))
			return false;
	for (i = 0; i < p->events.n_aggs; i++)
		if (!p->events.aggs[i].name || !p->events.aggs[i].weight)
			return false;
	for (i = 0; i < p->n_counters; i++)
		if (p->counters[i].event >= p->events.n)
			return false;
	return p->events.n_aggs <= MP_AGG_RULES;
}

void mp_cut_plan_put(const struct mp_cut_plan *plan, struct mp_buf *to)
{
	struct mp_cut_plan copy =
		*plan; /* the same function also reads, so its argument is not const */
	struct mp_cut_code c = { .to = to };

	code_plan(&c, &copy);
}

int mp_cut_plan_get(struct mp_cut_plan *plan, struct mp_str from)
{
	struct mp_cut_code c = { .from = from };

	*plan = (struct mp_cut_plan){ .n_rings = 0 };
	code_plan(&c, plan);
	if (!c.failed && !c.from.len && is_plan(plan))
		return 0;
	mp_cut_plan_release(plan);
	return -1;
}

static void code_end(struct mp_cut_code *c, struct mp_cut_end *end)
{
	mp_cut_code_bytes(c, (void **)&end->counts, &end->n_counts, sizeof(*end->counts));
	mp_cut_code_text(c, &end->common);
	mp_cut_code_text(c, &end->trailer);
	MP_CUT_NUMBER(c, end->dropped);
}

void mp_cut_end_put(const struct mp_cut_end *end, struct mp_buf *to)
{
	struct mp_cut_end copy = *end;
	struct mp_cut_code c = { .to = to };

	code_end(&c, &copy);
}

int mp_cut_end_get(struct mp_cut_end *end, size_t n_counts, struct mp_str from)
{
	struct mp_cut_code c = { .from = from };

	*end = (struct mp_cut_end){ .n_counts = 0 };
	code_end(&c, end);
	if (!c.failed && !c.from.len && end->n_counts == n_counts && end->common && end->trailer)
		return 0;
	mp_cut_end_release(end);
	return -1;
}
