// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/resolve.h"

#include <stdlib.h>

#include "lib/capture/event/fields.h"

static void suggest(void *arg, const struct cap_listed *listed)
{
	mp_suggest_try(arg, listed->name);
}

void mp_events_suggest(struct mp_suggest *near, const struct cap_source *const *sources,
		       struct mp_tracefs **tracefs)
{
	struct cap_listing all = { .glob = "*", .tracefs = tracefs, .show = suggest, .arg = near };

	for (; *sources; sources++) {
		if ((*sources)->list)
			(*sources)->list(&all);
		free(all.error);
		all.error = NULL;
	}
}

static int fail_unknown(struct mp_resolver *r, const struct cap_source *const *sources)
{
	const char *name = r->spec->name;
	struct mp_suggest near;
	char *error;

	mp_suggest_init(&near, name);
	mp_events_suggest(&near, sources, r->tracefs);
	if (near.best)
		error = mp_asprintf("no event '%s'; did you mean '%s'?", name, near.best);
	else
		error = mp_asprintf("no event '%s' (mp-record -l lists them)", name);
	mp_suggest_release(&near);
	return mp_resolver_fail(r, error);
}

static bool has_term(const struct cap_source *source, struct mp_str key)
{
	const char *const *term = source->terms;

	while (term && *term && !mp_str_eq(key, mp_str(*term)))
		term++;
	return term && *term;
}

static int check_terms(struct mp_resolver *r, const struct cap_source *source)
{
	const char *terms = r->spec->terms;
	struct mp_str key, value;

	while (mp_spec_next_term(&terms, &key, &value))
		if (!has_term(source, key))
			return mp_resolver_fail(r, mp_asprintf("%s: unknown term '%.*s' of a %s",
							       r->spec->name, MP_STR_ARGS(key),
							       source->name));
	return 0;
}

/*
 * Refuses the parts of a specification that the source does not act on, so that nothing is silently
 * ignored.
 */
static int check_parts(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	unsigned given = mp_spec_parts(s) | (r->options->aggregate ? MP_SPEC_AGG : 0);

	if (!(given & ~r->honoured))
		return 0;
	return mp_resolver_fail(r, mp_asprintf("%s%s: %s", s->count ? "stat:" : "", s->name,
					       mp_spec_part_refusal(given & ~r->honoured)));
}

/* Calls the sources in their order up to the first that knows the name; for a glob, calls all. */
static int resolve_name(struct mp_resolver *r, const struct cap_source *const *sources)
{
	const struct cap_source *const *s;

	r->found = false;
	r->count = r->spec->count;
	for (s = sources; *s && (!r->found || mp_resolver_is_glob(r)); s++) {
		r->honoured = 0;
		switch ((*s)->resolve ? (*s)->resolve(r) : CAP_OTHER) {
		case CAP_FAILED:
			return -1;
		case CAP_OTHER:
			break;
		case CAP_RESOLVED:
			if (check_terms(r, *s) < 0 || check_parts(r) < 0)
				return -1;
			r->found = true;
			break;
		case CAP_UNKNOWN:
			return fail_unknown(r, sources);
		}
	}
	return r->found ? 0 : fail_unknown(r, sources);
}

/* Changes an event, which was resolved as if it were recorded, to one that is counted. */
static void count_event(struct mp_resolver *r, struct mp_event *e)
{
	e->own = e->ratio ? &mp_builtin_ratio : &mp_builtin_count;
	e->each = false;
	e->context = r->options->count_context;
	mp_resolver_set_reading(r, e, MP_RESOLVER_COUNTED_NS);
	free(e->payload);
	e->n_payload = 0;
	mp_resolver_write_fields(e);
}

static int resolve(struct mp_resolver *r, const struct cap_source *const *sources);

/*
 * Resolves an event of a ratio apart from the other events, so that it is not merged with one of
 * them. On failure the result has no events.
 */
static struct mp_events resolve_half(struct mp_resolver *r, const struct mp_spec *half,
				     const struct cap_source *const *sources)
{
	struct mp_events *all = r->events, one = { .probes = all->probes };
	const struct mp_spec *ratio = r->spec;
	char *type;

	r->spec = half;
	r->events = &one;
	if (resolve(r, sources) == 0 && !r->failed && one.n != 1)
		mp_resolver_fail(r, mp_asprintf("%s: a ratio is of two events, and '%s' is %zu",
						ratio->name, half->name, one.n));
	r->spec = ratio;
	r->events = all;
	all->probes = one.probes;
	one.probes = (struct mp_probes){ .made = NULL };
	if (r->failed) {
		mp_events_release(&one);
		return one;
	}
	/* for messages about this counter */
	type = mp_asprintf("stat:%s: %s", ratio->name, one.v[0].type + strlen("stat:"));
	free(one.v[0].type);
	one.v[0].type = type;
	return one;
}

/* Refuses terms of a ratio other than its interval. */
static int check_ratio(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;
	const char *term = s->config && *s->config ? s->config : s->terms;

	if (term)
		return mp_resolver_fail(r, mp_asprintf("stat:%s: unknown term '%s' of a ratio",
						       s->name, term));
	r->honoured =
		MP_SPEC_COUNT | MP_SPEC_INTERVAL | MP_SPEC_SPACE | MP_SPEC_HOST | MP_SPEC_GUEST;
	return check_parts(r);
}

/* Adds an event whose value is the ratio of two counters. */
static int resolve_ratio(struct mp_resolver *r, const struct cap_source *const *sources)
{
	struct mp_events first, second;
	ptrdiff_t known;
	struct mp_event *e;

	if (check_ratio(r) < 0)
		return -1;
	first = resolve_half(r, &r->spec->ratio[0], sources);
	if (r->failed)
		return -1;
	second = resolve_half(r, &r->spec->ratio[1], sources);
	if (r->failed) {
		mp_events_release(&first);
		return -1;
	}
	r->count = true;
	known = mp_resolver_find(r, r->spec->name);
	e = mp_resolver_add(r, r->spec->name);
	mp_builtin_set_attr(&mp_builtin_ratio, &e->attr);
	e->ratio = mp_alloc(2 * sizeof(*e->ratio));
	e->ratio[0] = first.v[0];
	e->ratio[1] = second.v[0];
	free(first.v);
	free(second.v);
	count_event(r, e);
	return mp_resolver_merge_last(r, known);
}

static int resolve(struct mp_resolver *r, const struct cap_source *const *sources)
{
	size_t i = r->events->n;

	if (r->spec->ratio)
		return resolve_ratio(r, sources);
	if (resolve_name(r, sources) < 0)
		return -1;
	for (; r->count && i < r->events->n; i++)
		count_event(r, &r->events->v[i]);
	return 0;
}

int mp_events_resolve(struct mp_events *events, const struct mp_specs *specs,
		      const struct cap_source *const *sources,
		      const struct mp_event_options *options, struct mp_tracefs **tracefs,
		      char **error)
{
	struct mp_resolver r = {
		.events = events,
		.options = options,
		.tracefs = tracefs,
		.error = error,
	};
	size_t i;

	for (i = 0; i < specs->n; i++) {
		r.spec = &specs->v[i];
		if (resolve(&r, sources) < 0)
			return -1;
	}
	if (r.failed)
		return -1;
	return options->fields ? mp_events_choose_fields(events, options->fields, error) : 0;
}
