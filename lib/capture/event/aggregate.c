// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/aggregate.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/glob.h"

static const struct {
	const char *name;
	enum mp_agg_kind kind;
	const char *weight, *what;
} named[] = {
	{ "sum:blocked", MP_AGG_OF_BLOCKED, "dur", "time that tasks are blocked, in ns, by stack" },
	{ "sum:blocked-waker", MP_AGG_OF_WAKERS, "dur",
	  "time that tasks are blocked, in ns, by stack and stack of the waker" },
	{ "sum:kmalloc", MP_AGG_OF_KMALLOC, "bytes",
	  "bytes of kmalloc and slab caches that were not freed, by stack" },
	{ "sum:pages", MP_AGG_OF_PAGES, "bytes", "bytes of pages that were not freed, by stack" },
};

static struct mp_event_agg *make(enum mp_agg_kind kind, const char *name, const char *weight)
{
	struct mp_event_agg *s = mp_zalloc(sizeof(*s));

	s->kind = kind;
	s->name = mp_strdup(name);
	snprintf(s->weight, sizeof(s->weight), "%s", weight);
	return s;
}

static bool is_held(const struct mp_agg_rule *rule)
{
	return rule->ask[0] || rule->got || rule->freed;
}

char *mp_event_agg_name(const char *given, const char *type, const struct mp_agg_terms *terms)
{
	const char *first = strchr(type, ':'), *last = strrchr(type, ':');

	if (given)
		return mp_strdup(given);
	if (!is_held(&terms->rule) || !first || first == last)
		return mp_strdup(type);
	return mp_asprintf("held:%.*s", (int)(last - first - 1), first + 1);
}

struct mp_event_agg *mp_event_agg_new(const char *name, const struct mp_agg_terms *terms)
{
	struct mp_event_agg *s =
		make(MP_AGG_OF_EVENT, name, terms->given ? terms->weight : "count");

	s->rule = terms->rule;
	if (!terms->given)
		s->rule.weight[0] = MP_AGG_COUNT;
	return s;
}

struct mp_event_agg *mp_event_agg_named(const char *event, const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(named); i++)
		if (strcmp(named[i].name, event) == 0)
			return make(named[i].kind, name, named[i].weight);
	return NULL;
}

void mp_event_agg_free(struct mp_event_agg *agg)
{
	if (!agg)
		return;
	free(agg->name);
	free(agg);
}

bool mp_event_agg_is_held(const struct mp_event_agg *agg)
{
	return agg->kind == MP_AGG_OF_KMALLOC || agg->kind == MP_AGG_OF_PAGES ||
	       is_held(&agg->rule);
}

int mp_event_aggs_add(struct mp_event_aggs *aggs, const struct mp_event_agg *agg)
{
	size_t i;

	for (i = 0; i < aggs->n; i++) {
		if (strcmp(aggs->v[i]->name, agg->name) != 0)
			continue;
		/*
		 * without a weight: an event that frees memory does not name the
		 * aggregate that holds it
		 */
		if (!aggs->v[i]->weight[0])
			aggs->v[i] = agg;
		return (int)i;
	}
	if (aggs->n == MP_AGG_RULES)
		return -1;
	aggs->v[aggs->n] = agg;
	return (int)aggs->n++;
}

const char *mp_event_agg_unit(const struct mp_event_agg *agg)
{
	if (strcmp(agg->weight, "dur") == 0)
		return "ns";
	return strcmp(agg->weight, "bytes") == 0 ? "B" : NULL;
}

void mp_event_agg_names_each(const char *glob, mp_agg_name_fn *each, void *arg)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(named); i++)
		if (mp_glob_plain(glob, named[i].name))
			each(arg, named[i].name, named[i].what);
}
