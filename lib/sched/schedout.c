// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedout.h"

enum { FIXED = 512 }; /* bytes of a line without names and stack */

static char *put_text(char *p, struct mp_str s)
{
	if (s.len)
		memcpy(p, s.p, s.len);
	return p + s.len;
}

#define PUT(p, literal) (memcpy(p, literal, sizeof(literal) - 1), (p) + sizeof(literal) - 1)

/* Writes the fields of the context, each with a TAB after it. */
static char *put_context(char *p, const struct mp_sched_span *span, struct mp_str host)
{
	const struct mp_sched_task *t = span->task;

	if (host.len) {
		p = put_text(PUT(p, "host="), host);
		*p++ = '\t';
	}
	if (span->cpu >= 0) {
		p = mp_put_u64(PUT(p, "cpu="), span->cpu);
		*p++ = '\t';
	}
	if (t && t->pid >= 0) {
		p = mp_put_u64(PUT(p, "pid="), t->pid);
		*p++ = '\t';
	}
	if (t) {
		p = mp_put_u64(PUT(p, "tid="), t->tid);
		*p++ = '\t';
	}
	if (t && t->has_comm) {
		p = put_text(PUT(p, "comm="), mp_buf_view(&t->comm));
		*p++ = '\t';
	}
	if (span->state == MP_SCHED_IDLE) {
		p = PUT(p, "pid=0\ttid=0\tcomm=swapper/");
		p = mp_put_u64(p, span->cpu);
		*p++ = '\t';
	}
	return p;
}

static char *put_places(char *p, const struct mp_sched_span *span)
{
	const struct mp_sched_task *t = span->task;

	if (t && t->prio != MP_SCHED_NO_PRIO)
		p = mp_put_i64(PUT(p, "\tprio="), t->prio);
	if (t && span->cpu < 0 && t->last_cpu >= 0)
		p = mp_put_u64(PUT(p, "\tfrom_cpu="), t->last_cpu);
	if (span->to_cpu >= 0)
		p = mp_put_u64(PUT(p, "\tto_cpu="), span->to_cpu);
	return p;
}

static char *put_others(char *p, const struct mp_sched_span *span)
{
	if (span->waker && span->waker->tid >= 0) {
		p = mp_put_u64(PUT(p, "\twaker_tid="), span->waker->tid);
		if (span->waker->has_comm)
			p = put_text(PUT(p, "\twaker_comm="), mp_buf_view(&span->waker->comm));
		if (span->waker->cpu >= 0)
			p = mp_put_u64(PUT(p, "\twaker_cpu="), span->waker->cpu);
	}
	if (span->next_tid >= 0)
		p = mp_put_u64(PUT(p, "\tnext_tid="), span->next_tid);
	if (span->next_comm.p)
		p = put_text(PUT(p, "\tnext_comm="), span->next_comm);
	return p;
}

static char *put_edges(char *p, const struct mp_sched_span *span)
{
	if (span->cut_begin && span->cut_end)
		p = PUT(p, "\tcut=both");
	else if (span->cut_begin)
		p = PUT(p, "\tcut=begin");
	else if (span->cut_end)
		p = PUT(p, "\tcut=end");
	if (span->state == MP_SCHED_UNKNOWN && span->was != MP_SCHED_UNKNOWN)
		p = put_text(PUT(p, "\twas="), mp_str(mp_sched_state_name(span->was)));
	if (span->lost)
		p = mp_put_u64(PUT(p, "\tlost="), span->lost);
	return p;
}

void mp_sched_span_add(struct mp_buf *to, const struct mp_sched_span *span, struct mp_str host)
{
	char *p;

	mp_buf_reserve(to, FIXED + 3 * MP_SCHED_COMM_MAX + host.len + span->stack.len);
	p = to->p + to->len;
	p = mp_put_u64(p, span->to_ns);
	p = PUT(p, ",sched:span,");
	p = put_context(p, span, host);
	p = mp_put_u64(PUT(p, "dur="), span->to_ns - span->from_ns);
	p = put_text(PUT(p, "\tstate="), mp_str(mp_sched_state_name(span->state)));
	p = put_places(p, span);
	p = put_others(p, span);
	p = put_edges(p, span);
	if (span->stack.len)
		p = put_text(PUT(p, "\tstack="), span->stack);
	*p++ = '\n';
	to->len = p - to->p;
}

void mp_sched_header(json_t *header, bool others)
{
	json_t *events = NULL, *units, *span;

	if (others)
		events = json_deep_copy(json_object_get(header, "events"));
	if (!events)
		events = json_object();
	/* the fields of a span in their order; mp-sched(1) describes them */
	span = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "dur",
			 "u64", "state", "str", "prio", "s32", "from_cpu", "s32", "to_cpu", "s32",
			 "waker_tid", "s32", "waker_comm", "str", "waker_cpu", "s32", "next_tid",
			 "s32", "next_comm", "str", "cut", "str", "was", "str", "lost", "u64");
	json_object_set_new(events, "sched:span", span);
	mp_relay_rename(header, "mp-sched", events);
	units = json_object_get(header, "units");
	units = units ? json_copy(units) : json_object();
	json_object_set_new(units, "dur", json_string("ns"));
	json_object_set_new(header, "units", units);
}
