// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/sources.h"

#include <stdlib.h>

/*
 * A row for each source. Sources with a prefix of their own come before tracepoints, which may have
 * any name with a colon.
 */
#define SOURCES(ROW)                 \
	ROW(mp_bpf_source_aggregate) \
	ROW(mp_event_source_pmu)     \
	ROW(mp_samplers_source)      \
	ROW(mp_event_source_task)    \
	ROW(mp_tracings_source)      \
	ROW(mp_bpf_source_timer)     \
	ROW(mp_bpf_source_call)      \
	ROW(mp_event_source_probe)   \
	ROW(mp_event_source_tracepoint)

#define DECLARATION(source) extern const struct cap_source source;
#define POINTER(source) &source,

SOURCES(DECLARATION)

const struct cap_source *const cap_sources[] = { SOURCES(POINTER) NULL };

/* Calls a function of all opened sources that have it. */
#define FOR_EACH_WITH(o, one, function)                  \
	for (one = (o)->v; one < (o)->v + (o)->n; one++) \
		if (one->source->function)

size_t cap_sources_parse(const char *text)
{
	const struct cap_source *const *s;
	size_t len = 0;

	for (s = cap_sources; *s && !len; s++)
		if ((*s)->parse)
			len = (*s)->parse(text);
	return len;
}

int cap_sources_try(const struct mp_events *events, char **error)
{
	const struct cap_source *const *s;

	for (s = cap_sources; *s; s++)
		if ((*s)->try && (*s)->try(events, error) < 0)
			return -1;
	return 0;
}

int cap_sources_open(struct cap_opened_sources *o, const struct cap_recording *recording,
		     char **error)
{
	const struct cap_source *const *s;

	for (s = cap_sources; *s; s++) {
		struct cap_opened one = { *s, NULL };
		int result = (*s)->open ? (*s)->open(&one.state, recording, error) : 0;

		if (one.state) {
			o->v = mp_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
			o->v[o->n++] = one;
		}
		if (result < 0)
			return -1;
	}
	return 0;
}

void cap_sources_start(const struct cap_opened_sources *o)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, start)
	one->source->start(one->state);
}

void cap_sources_begin(const struct cap_opened_sources *o)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, begin)
	one->source->begin(one->state);
}

void cap_sources_stop(const struct cap_opened_sources *o)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, stop)
	one->source->stop(one->state);
}

void cap_sources_finish(const struct cap_opened_sources *o)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, finish)
	one->source->finish(one->state);
}

uint64_t cap_sources_bound(const struct cap_opened_sources *o)
{
	uint64_t bound = UINT64_MAX, of_one;
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, bound)
	{
		of_one = one->source->bound(one->state);
		bound = MP_MIN(bound, of_one);
	}
	return bound;
}

void cap_sources_tick(const struct cap_opened_sources *o, uint64_t settled_ns)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, tick)
	one->source->tick(one->state, settled_ns);
}

uint64_t cap_sources_account(const struct cap_opened_sources *o, size_t event, int cpu)
{
	const struct cap_opened *one;
	uint64_t count = 0;

	FOR_EACH_WITH(o, one, account)
	count += one->source->account(one->state, event, cpu);
	return count;
}

void cap_sources_trailer(const struct cap_opened_sources *o, json_t *trailer)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, trailer)
	one->source->trailer(one->state, trailer);
}

void cap_sources_report(const struct cap_opened_sources *o, bool verbose)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, report)
	one->source->report(one->state, verbose);
}

void cap_sources_close(struct cap_opened_sources *o)
{
	const struct cap_opened *one;

	FOR_EACH_WITH(o, one, close)
	one->source->close(one->state);
	free(o->v);
	*o = (struct cap_opened_sources){ .v = NULL };
}
