// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/collector.h"
#include "lib/capture/session/sources.h"

#include <stdlib.h>

#include "lib/capture/bpf/bpfaggregate.h"
#include "lib/capture/bpf/bpffilter.h"
#include "lib/capture/bpf/bpftracing.h"
#include "lib/capture/event/merge.h"
#include "lib/capture/event/resolve.h"
#include "lib/capture/ring/ring.h"
#include "lib/definition/definition.h"
#include "lib/stream/glob.h"

enum { DEPTH_MAX = 8 };

static void add_text(struct mp_texts *t, char *text)
{
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = text;
}

static void release_texts(struct mp_texts *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	*t = (struct mp_texts){ NULL, 0, 0 };
}

/* --- parsing a file --------------------------------------------------------------------------- */

struct parser {
	struct mp_collector *c;
	const char *path;
	size_t line;
	char **error;
};

static int fail(struct parser *p, const char *what, struct mp_str text)
{
	*p->error = mp_asprintf("%s:%zu: %s '%.*s'", p->path, p->line, what,
				(int)MP_MIN(text.len, 60), text.p);
	return -1;
}

/* Copies a value; if the collector takes an argument, "$1" is replaced by it. */
static char *value_text(const struct mp_collector *c, struct mp_str value)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < value.len; i++) {
		if (c->argument && i + 1 < value.len && value.p[i] == '$' &&
		    value.p[i + 1] == '1') {
			mp_buf_str(&text, mp_str(c->argument));
			i++;
		} else {
			mp_buf_byte(&text, value.p[i]);
		}
	}
	mp_buf_byte(&text, '\0');
	return text.p;
}

static int set_once(struct parser *p, char **to, struct mp_str value)
{
	if (*to)
		return fail(p, "given twice:", value);
	*to = value_text(p->c, value);
	return 0;
}

/* Adds an event, or, if the argument is a list, an event for each of its elements. */
static void add_events(struct mp_collector *c, struct mp_texts *to, struct mp_str value)
{
	char *whole = c->argument, *list, *save = NULL, *one;

	if (!whole || !memmem(value.p, value.len, "$1", 2)) {
		add_text(to, value_text(c, value));
		return;
	}
	list = mp_strdup(whole);
	for (one = strtok_r(list, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		c->argument = one;
		add_text(to, value_text(c, value));
	}
	c->argument = whole;
	free(list);
}

static int set_count(struct parser *p, uint64_t *to, struct mp_str value)
{
	if (mp_num_u64(value, to) < 0 || *to == 0 || *to > INT64_MAX)
		return fail(p, "not a number:", value);
	return 0;
}

static void add_list(struct mp_collector *c, struct mp_texts *to, struct mp_str value)
{
	char *list = value_text(c, value), *save = NULL, *one;

	for (one = strtok_r(list, " ,\t", &save); one; one = strtok_r(NULL, " ,\t", &save))
		add_text(to, mp_strdup(one));
	free(list);
}

static int set_stack(struct parser *p, struct mp_str value)
{
	enum mp_stack_part part = MP_STACK_UNSET;
	enum mp_stack_method method = MP_METHOD_UNSET;

	if (mp_stack_mode_parse(value, &part, &method) < 0)
		return fail(p, "not a kind of stack:", value);
	return set_once(p, &p->c->stack, value);
}

/* Parses "NAME" or "NAME = DEFAULT". */
static int set_argument(struct parser *p, struct mp_str value)
{
	const char *eq = memchr(value.p, '=', value.len);
	struct mp_str name = { value.p, eq ? (size_t)(eq - value.p) : value.len };
	struct mp_collector *c = p->c;

	if (c->argument_name)
		return fail(p, "given twice:", value);
	if (c->events.n || c->optional.n)
		return fail(p, "events before the argument:", value);
	name = mp_str_trim(name);
	c->argument_name = mp_strndup(name.p, name.len);
	if (!eq || c->argument)
		return 0;
	value = mp_str_trim((struct mp_str){ eq + 1, value.p + value.len - eq - 1 });
	c->argument = mp_strndup(value.p, value.len);
	return 0;
}

static int set_key(struct parser *p, struct mp_str key, struct mp_str value)
{
	struct mp_collector *c = p->c;

	if (mp_str_eq(key, MP_STR("summary")))
		return set_once(p, &c->summary, value);
	if (mp_str_eq(key, MP_STR("cost")))
		return set_once(p, &c->cost, value);
	if (mp_str_eq(key, MP_STR("fields")))
		return set_once(p, &c->fields, value);
	if (mp_str_eq(key, MP_STR("stack")))
		return set_stack(p, value);
	if (mp_str_eq(key, MP_STR("freq")))
		return set_count(p, &c->freq, value);
	if (mp_str_eq(key, MP_STR("period")))
		return set_count(p, &c->period, value);
	if (mp_str_eq(key, MP_STR("argument")))
		return set_argument(p, value);
	if (mp_str_eq(key, MP_STR("event")))
		add_events(c, &c->events, value);
	else if (mp_str_eq(key, MP_STR("optional")))
		add_events(c, &c->optional, value);
	else if (mp_str_eq(key, MP_STR("note")))
		add_text(&c->note, value_text(c, value));
	else if (mp_str_eq(key, MP_STR("show")))
		add_text(&c->show, value_text(c, value));
	else if (mp_str_eq(key, MP_STR("collectors")))
		add_list(c, &c->members, value);
	else if (mp_str_eq(key, MP_STR("system")))
		add_list(c, &c->system, value);
	else if (mp_str_eq(key, MP_STR("idle")))
		add_list(c, &c->idle, value);
	else
		return fail(p, "no such key:", key);
	return 0;
}

static int parse_line(struct parser *p, struct mp_str line)
{
	struct mp_str key, value;
	const char *why;
	int found = mp_definition_line(line, &key, &value, &why);

	if (found < 0)
		return fail(p, why, mp_str_trim(line));
	return found ? set_key(p, key, value) : 0;
}

/* Checks the rules for the file as a whole. */
static int check(struct parser *p)
{
	const struct mp_collector *c = p->c;
	struct mp_str nothing = { p->path, strlen(p->path) };

	if (!c->summary)
		return fail(p, "no summary in", nothing);
	if (!c->events.n && !c->optional.n && !c->members.n)
		return fail(p, "no events and no collectors in", nothing);
	if (c->argument && !c->argument_name)
		return fail(p, "takes no argument:", mp_str(c->name));
	return 0;
}

struct mp_collector *mp_collector_parse(const char *name, const char *path, struct mp_str text,
					char **error)
{
	const char *colon = strchr(name, ':');
	struct mp_collector *c = mp_zalloc(sizeof(*c));
	struct parser p = { c, path, 0, error };
	struct mp_str line;
	int result = 0;

	c->name = mp_strdup(name);
	c->path = mp_strdup(path);
	if (colon)
		c->argument = mp_strdup(colon + 1);
	while (result == 0 && mp_definition_next(&text, &line)) {
		p.line++;
		result = parse_line(&p, line);
	}
	if (result == 0)
		result = check(&p);
	if (result == 0)
		return c;
	mp_collector_free(c);
	return NULL;
}

void mp_collector_free(struct mp_collector *c)
{
	if (!c)
		return;
	release_texts(&c->note);
	release_texts(&c->show);
	release_texts(&c->events);
	release_texts(&c->optional);
	release_texts(&c->members);
	release_texts(&c->system);
	release_texts(&c->idle);
	free(c->name);
	free(c->path);
	free(c->summary);
	free(c->cost);
	free(c->fields);
	free(c->stack);
	free(c->argument_name);
	free(c->argument);
	free(c);
}

struct mp_collector *mp_collector_load(const char *name, char **error)
{
	struct mp_definition d;
	struct mp_collector *c;

	if (mp_definition_read(&d, name, error) < 0)
		return NULL;
	c = mp_collector_parse(name, d.path, (struct mp_str){ d.text, d.len }, error);
	mp_definition_release(&d);
	return c;
}

/* --- events of a collector -------------------------------------------------------------------- */

/*
 * Tries to open the events: otherwise it would be noticed too late that this machine lacks a
 * counter or a condition.
 */
static int try_events(const struct mp_events *events, char **error)
{
	size_t i;

	if (cap_sources_try(events, error) < 0)
		return -1;
	for (i = 0; i < events->n; i++)
		if (!events->v[i].tp && (mp_ring_try_event(&events->v[i], error) < 0 ||
					 mp_bpf_filters_try(&events->v[i], error) < 0))
			return -1;
	return 0;
}

/* The parameters for resolving events. */
struct means {
	const struct mp_collector *c;
	const struct mp_event_options *options;
	struct mp_tracefs **tracefs;
};

static int parse(const struct means *m, struct mp_specs *specs, const char *line, char **error)
{
	char *why;

	if (mp_specs_parse(specs, line, cap_sources_parse, &why) == 0)
		return 0;
	*error = mp_asprintf("%s: %s", m->c->path, why);
	free(why);
	return -1;
}

/* Adds all events that the collector needs. Returns -1 with `*error` if one is missing. */
static int resolve_required(const struct means *m, struct mp_events *events, char **error)
{
	struct mp_specs specs = { NULL, 0, 0 };
	int result = 0;
	size_t i;

	for (i = 0; i < m->c->events.n && result == 0; i++)
		result = parse(m, &specs, m->c->events.v[i], error);
	if (result == 0)
		result = mp_events_resolve(events, &specs, cap_sources, m->options, m->tracefs,
					   error);
	mp_specs_release(&specs);
	return result == 0 ? try_events(events, error) : result;
}

/*
 * Whether an event can be opened. Only counters are tried; other events only have to be resolved.
 */
static bool can_be_opened(const struct means *m, const struct mp_specs *one)
{
	struct mp_event_options options = *m->options;
	struct mp_events own = { .v = NULL };
	char *error;
	bool can;

	if (strchr(one->v->name, ':'))
		return true;
	options.fields = NULL;
	can = mp_events_resolve(&own, one, cap_sources, &options, m->tracefs, &error) == 0 &&
	      try_events(&own, &error) == 0;
	if (!can)
		free(error);
	mp_events_release(&own);
	return can;
}

/* Adds the optional events that this machine has, one by one. */
static void resolve_optional(const struct means *m, struct mp_events *events)
{
	struct mp_specs specs = { NULL, 0, 0 };
	char *error;
	size_t i;

	for (i = 0; i < m->c->optional.n; i++)
		if (parse(m, &specs, m->c->optional.v[i], &error) < 0)
			free(error);
	for (i = 0; i < specs.n; i++) {
		struct mp_specs one = { &specs.v[i], 1, 1 };

		if (can_be_opened(m, &one) && mp_events_resolve(events, &one, cap_sources,
								m->options, m->tracefs, &error) < 0)
			free(error);
	}
	mp_specs_release(&specs);
}

/* Adds fields to those of the collector. */
static void add_fields(struct mp_collector *c, const char *more)
{
	char *both = mp_asprintf("%s,%s", c->fields, more);

	free(c->fields);
	c->fields = both;
}

/* Applies the settings of the collector, except where the user has given others. */
static struct mp_event_options options_for(const struct mp_collector *c,
					   const struct mp_event_options *given)
{
	struct mp_event_options o = *given;

	if (c->freq)
		o.freq = c->freq;
	if (c->period)
		o.period = c->period;
	if (c->stack && !given->stack_given)
		mp_stack_mode_parse(mp_str(c->stack), &o.stack, &o.method);
	if (c->fields && (!given->fields || given->fields[0] == '+'))
		o.fields = c->fields;
	o.agg_name = c->name;
	return o;
}

static bool is_one_of(const struct mp_texts *globs, const char *type)
{
	size_t i;

	for (i = 0; i < globs->n; i++)
		if (mp_glob_plain(globs->v[i], type))
			return true;
	return false;
}

/* Marks the events that occur in the context of tasks other than those that they concern. */
static void widen(const struct mp_collector *c, struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		events->v[i].wide |= is_one_of(&c->system, events->v[i].type);
		events->v[i].idle |= is_one_of(&c->idle, events->v[i].type);
	}
}

static size_t resolve(const char *name, struct mp_events *events,
		      const struct mp_event_options *given, struct mp_tracefs **tracefs,
		      unsigned depth)
{
	char *error;
	struct mp_collector *c = mp_collector_load(name, &error);
	struct mp_events own = { .v = NULL };
	struct mp_event_options options;
	struct means means = { c, &options, tracefs };
	size_t failed = 0, i;

	if (!c) {
		mp_say("%s", error);
		free(error);
		return 1;
	}
	if (c->argument_name && !c->argument) {
		mp_say("collector '%s' needs an argument: %s:%s", name, name, c->argument_name);
		mp_collector_free(c);
		return 1;
	}
	for (i = 0; i < c->members.n && depth < DEPTH_MAX; i++)
		failed += resolve(c->members.v[i], events, given, tracefs, depth + 1);
	if (c->fields && given->fields && given->fields[0] == '+')
		add_fields(c, given->fields + 1);
	options = options_for(c, given);
	if (resolve_required(&means, &own, &error) < 0) {
		mp_say("collector '%s' cannot start: %s", name, error);
		free(error);
		failed++;
		/* so that its probes are removed with the others */
		mp_probes_merge(&events->probes, &own.probes);
	} else {
		resolve_optional(&means, &own);
		widen(c, &own);
		if (!own.n && !c->members.n) {
			mp_say("collector '%s' cannot start: this kernel has none of its events",
			       name);
			failed++;
		}
		mp_events_merge(events, &own);
	}
	mp_events_release(&own);
	mp_collector_free(c);
	return failed;
}

size_t mp_collector_resolve(const char *name, struct mp_events *events,
			    const struct mp_event_options *options, struct mp_tracefs **tracefs)
{
	return resolve(name, events, options, tracefs, 0);
}

/* --- explanation ------------------------------------------------------------------------------ */

static void show_list(struct mp_buf *text, const char *title, const struct mp_texts *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		mp_buf_printf(text, "%-9s %s\n", i == 0 ? title : "", list->v[i]);
}

int mp_collector_explain(const char *name, struct mp_out *out)
{
	char *error;
	struct mp_collector *c = mp_collector_load(name, &error);
	struct mp_buf text = { NULL, 0, 0 };

	if (!c) {
		mp_say("%s", error);
		free(error);
		return -1;
	}
	mp_buf_printf(&text, "%s: %s\n", c->name, c->summary);
	if (c->argument_name)
		mp_buf_printf(&text, "argument  %s%s%s\n", c->argument_name,
			      c->argument ? " = " : "", c->argument ? c->argument : "");
	show_list(&text, "", &c->note);
	show_list(&text, "events", &c->events);
	show_list(&text, "optional", &c->optional);
	show_list(&text, "system", &c->system);
	show_list(&text, "idle", &c->idle);
	show_list(&text, "members", &c->members);
	if (c->fields)
		mp_buf_printf(&text, "fields    %s\n", c->fields);
	mp_buf_printf(&text, "stack     %s\n", c->stack ? c->stack : "both");
	if (c->cost)
		mp_buf_printf(&text, "cost      %s\n", c->cost);
	show_list(&text, "shown by", &c->show);
	mp_buf_printf(&text, "file      %s\n", c->path);
	mp_out_write(out, text.p, text.len);
	mp_buf_release(&text);
	mp_collector_free(c);
	return 0;
}
