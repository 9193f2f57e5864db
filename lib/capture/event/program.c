// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/program.h"

#include <stdlib.h>

/*
 * How the fields of tracepoints follow from the parameters of their raw tracepoints
 * (TP_fast_assign() in include/trace/events/irq.h and sched.h). A raw tracepoint is missed less
 * often: the kernel skips a program of a tracepoint while any other program of this kind runs on
 * the CPU, as that of softirq_entry may do when an interrupt comes.
 */
static const struct {
	const char *tracepoint;
	const char *raw;
} derived[] = {
	{ "irq:irq_handler_entry", "rawtp:irq_handler_entry(irq=irq,name=action->name:string)" },
	{ "irq:irq_handler_exit", "rawtp:irq_handler_exit(irq=irq,ret=ret)" },
	{ "irq:softirq_raise", "rawtp:softirq_raise(vec=vec_nr)" },
	{ "irq:softirq_entry", "rawtp:softirq_entry(vec=vec_nr)" },
	{ "irq:softirq_exit", "rawtp:softirq_exit(vec=vec_nr)" },
	{ "sched:sched_waking", "rawtp:sched_waking(comm=p->comm,pid=p->pid,prio=p->prio,"
				"target_cpu=p->thread_info.cpu:s32)" },
	{ "sched:sched_wakeup", "rawtp:sched_wakeup(comm=p->comm,pid=p->pid,prio=p->prio,"
				"target_cpu=p->thread_info.cpu:s32)" },
	{ "sched:sched_migrate_task",
	  "rawtp:sched_migrate_task(comm=p->comm,pid=p->pid,prio=p->prio,"
	  "orig_cpu=p->thread_info.cpu:s32,dest_cpu=dest_cpu)" },
};

/* Whether the names of a field's numbers depend on another field, by its place in the record. */
static bool is_conditional(const struct mp_names *names)
{
	size_t i;

	for (i = 0; names && i < names->n; i++)
		if (names->v[i].when.size)
			return true;
	return false;
}

/* Whether both have fields that look the same in the stream, once `b` has the names of `a`. */
static bool is_same(const struct mp_tp *a, const struct mp_tp *b)
{
	size_t i;

	if (a->n_fields != b->n_fields)
		return false;
	for (i = 0; i < a->n_fields; i++) {
		const struct mp_tp_field *f = &a->fields[i], *g = &b->fields[i];

		if (strcmp(f->name, g->name) != 0 || f->kind != g->kind ||
		    (f->kind != MP_TP_STRING && f->size != g->size) || is_conditional(f->names))
			return false;
	}
	return true;
}

static bool find_raw(const struct mp_event *e, struct mp_event_program *p)
{
	char *error;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(derived) && strcmp(derived[i].tracepoint, e->type) != 0; i++)
		;
	if (i == MP_ARRAY_SIZE(derived))
		return false;
	p->tracing = mp_tracing_parse(derived[i].raw, &p->tp, &error);
	if (!p->tracing) {
		free(error);
		return false;
	}
	if (!is_same(e->tp, p->tp)) {
		mp_event_program_release(p);
		return false;
	}
	for (i = 0; i < e->tp->n_fields; i++)
		p->tp->fields[i].names = mp_names_copy(e->tp->fields[i].names);
	return true;
}

/* Notes the parts of the record that vary in length; false if its layout is not supported. */
static bool set_record(struct mp_tracing_setup *setup, const struct mp_tp *tp)
{
	size_t i;

	setup->size = tp->size;
	for (i = 0; i < tp->n_fields; i++) {
		if (tp->fields[i].place == MP_TP_REL_LOC)
			return false;
		if (tp->fields[i].place != MP_TP_DATA_LOC)
			continue;
		if (setup->n_texts == MP_TRACING_TEXTS)
			return false;
		setup->texts_at[setup->n_texts++] = tp->fields[i].offset;
	}
	return true;
}

bool mp_event_find_program(const struct mp_event *e, struct mp_event_program *p)
{
	*p = (struct mp_event_program){ .tracing = NULL };
	if (!e->idle || e->attr.type != PERF_TYPE_TRACEPOINT || !e->each || e->own || e->agg ||
	    e->filter || e->probe || e->program || e->tracing)
		return false;
	if (find_raw(e, p))
		return true;
	p->tracing = mp_zalloc(sizeof(*p->tracing));
	p->tracing->traced = MP_TRACED_TRACEFS;
	p->tracing->name = mp_strdup(e->tp->name);
	if (set_record(&p->tracing->setup, e->tp))
		return true;
	mp_event_program_release(p);
	return false;
}

void mp_event_program_release(struct mp_event_program *p)
{
	mp_tracing_free(p->tracing);
	mp_tp_free(p->tp);
	*p = (struct mp_event_program){ .tracing = NULL };
}

void mp_event_use_program(struct mp_event *e, struct mp_event_program *p)
{
	size_t i;

	e->tracing = p->tracing;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	/* samples that a program makes have no period */
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	for (i = 0; p->tp && i < e->n_payload; i++)
		e->payload[i] = &p->tp->fields[e->payload[i] - e->tp->fields];
	if (p->tp) {
		if (e->points[0] == e->tp->name)
			e->points[0] = p->tp->name;
		mp_tp_free(e->tp);
		e->tp = p->tp;
	}
	*p = (struct mp_event_program){ .tracing = NULL };
}
