// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/call.h"

#include <stdlib.h>
#include <string.h>

#include "bpf/calls.h"
#include "lib/capture/event/tracingfilter.h"

/* The bytes of the name of a field. */
#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Finds the kinds of the arguments; false: none is a text, or the record has another layout. */
static bool find_kinds(const struct mp_tp *tp, struct mp_tracing_setup *setup)
{
	size_t i;

	setup->n_fields = (uint32_t)tp->n_fields;
	if (!tp->texts || tp->n_fields > MP_CALL_ARGS + 1)
		return false;
	for (i = 0; i < tp->n_fields; i++) {
		if (tp->fields[i].place != MP_TP_FIXED ||
		    tp->fields[i].offset != mp_tracing_offset(i))
			return false;
		if (tp->texts >> i & 1)
			setup->fields[i].kind = MP_TRACING_TEXT_USER;
		if (tp->arrays >> i & 1)
			setup->fields[i].kind = MP_TRACING_ARRAY_USER;
	}
	return true;
}

void mp_event_call_fields(struct mp_tp *tp)
{
	struct mp_tracing_setup setup = { .n_fields = 0 };
	size_t i;

	if (!find_kinds(tp, &setup))
		return;
	for (i = 0; i < tp->n_fields; i++) {
		if (setup.fields[i].kind == MP_TRACING_NUMBER)
			continue;
		tp->fields[i].kind = MP_TP_STRING;
		tp->fields[i].place = MP_TP_DATA_LOC;
		tp->fields[i].size = sizeof(uint32_t);
		tp->fields[i].elem = 1;
		tp->fields[i].is_array = true;
	}
}

/* Adds the filter, which may compare texts; false: the program cannot apply it. */
static bool add_filter(struct mp_tracing_setup *setup, const struct mp_event *e)
{
	struct mp_tp tp = *e->tp;
	char *error;
	int result;

	if (!e->filter)
		return true;
	tp.fields = mp_memdup(tp.fields, tp.n_fields * sizeof(*tp.fields));
	mp_event_call_fields(&tp);
	result = mp_tracing_filter(setup, &tp, e->filter, &error);
	if (result < 0)
		free(error);
	free(tp.fields);
	return result == 0;
}

bool mp_event_find_call(const struct mp_event *e, struct mp_event_program *p)
{
	struct mp_tracing *t;

	*p = (struct mp_event_program){ .tracing = NULL };
	if (e->walk_on != MP_WALK_SYS_ENTER || e->attr.type != PERF_TYPE_TRACEPOINT || !e->each ||
	    e->own || e->agg || e->probe || e->program || e->tracing || e->wide)
		return false;
	t = mp_zalloc(sizeof(*t));
	t->traced = MP_TRACED_CALL;
	t->name = mp_strdup(e->tp->name);
	if (find_kinds(e->tp, &t->setup) && add_filter(&t->setup, e)) {
		p->tracing = t;
		return true;
	}
	mp_tracing_free(t);
	return false;
}

static bool is_text(const struct mp_tp *tp, struct mp_str word)
{
	size_t i;

	for (i = 0; i < tp->n_fields; i++)
		if ((tp->texts & ~tp->arrays) >> i & 1 &&
		    mp_str_eq(word, mp_str(tp->fields[i].name)))
			return true;
	return false;
}

void mp_event_call_filter(struct mp_event *e)
{
	struct mp_buf text = { NULL, 0, 0 };
	const char *p = e->filter;
	char quote = 0;

	if (!p || !e->tp || !e->tp->texts || e->tracing)
		return;
	while (*p) {
		size_t len = quote ? 0 : strspn(p, WORD);

		mp_buf_add(&text, p, MP_MAX(len, 1u));
		if (!len && (*p == '"' || *p == '\'') && (!quote || quote == *p))
			quote = quote ? 0 : *p;
		else if (len && p[len] != '.' && is_text(e->tp, (struct mp_str){ p, len }))
			mp_buf_str(&text, MP_STR(".ustring"));
		p += MP_MAX(len, 1u);
	}
	mp_buf_byte(&text, '\0');
	free(e->filter);
	e->filter = text.p;
}

void mp_event_use_call(struct mp_event *e, struct mp_event_program *p)
{
	mp_event_use_program(e, p);
	mp_event_call_fields(e->tp);
}
