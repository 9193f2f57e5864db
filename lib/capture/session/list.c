// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/capture/object/places.h"
#include "lib/capture/event/event.h"
#include "lib/capture/session/collector.h"
#include "lib/core/suggest.h"

struct listing {
	struct mp_out *out;
	struct mp_tracefs *tracefs;
	struct mp_suggest near;
	const char *glob;
	const char *prefix; /* of what is shown */
	bool verbose;
	size_t found;
	struct mp_buf text;
};

static void flush_text(struct listing *l)
{
	mp_out_write(l->out, l->text.p, l->text.len);
	l->text.len = 0;
}

static const char *what_it_is(const struct mp_tp_field *f)
{
	switch (f->kind) {
	case MP_TP_STRING:
		return "text, filter with == != ~";
	case MP_TP_HEX:
	case MP_TP_UNSIGNED:
	case MP_TP_SIGNED:
		break;
	}
	return f->is_array ? "list of numbers" : "number, filter with == != < <= > >= &";
}

/* `filter`: they can be filtered by. */
static void show_fields(struct listing *l, const struct mp_tp_field *fields, size_t n, bool filter)
{
	char type[16];
	size_t i;

	for (i = 0; i < n; i++) {
		mp_tp_type_name(&fields[i], type);
		mp_buf_printf(&l->text, "  .%-22s %-6s %s\n", fields[i].name, type,
			      filter ? what_it_is(&fields[i]) : "");
	}
}

static void show_format(struct listing *l, const struct mp_tp *tp)
{
	show_fields(l, tp->fields, tp->n_fields, true);
	mp_buf_printf(&l->text,
		      "  filter: -e '%s:%s/FIELD==VALUE && FIELD~\"glob*\"/'"
		      " (no dot; && || ! and parentheses)\n",
		      tp->system, tp->name);
}

/* A glob without a colon is for the whole name, "sched*" as well as "*switch". */
static bool matches(const struct listing *l, const char *system, const char *name)
{
	char *full;
	bool match;

	if (strchr(l->glob, ':'))
		return true;
	full = mp_asprintf("%s:%s", system, name);
	match = fnmatch(l->glob, full, 0) == 0;
	free(full);
	return match;
}

static void show_tracepoint(void *arg, const char *system, const char *name)
{
	struct listing *l = arg;
	struct mp_tp *tp;
	const char *why;

	if (!matches(l, system, name))
		return;
	l->found++;
	mp_buf_printf(&l->text, l->verbose ? "%s:%s\n" : "%s:%s  tracepoint\n", system, name);
	if (l->verbose) {
		tp = mp_tracefs_load(l->tracefs, system, name, &why);
		if (tp)
			show_format(l, tp);
		else
			mp_buf_printf(&l->text, "  (%s)\n", why);
		mp_tp_free(tp);
	}
	flush_text(l);
}

static void show_other(void *arg, const char *name, const char *what)
{
	struct listing *l = arg;

	l->found++;
	mp_buf_printf(&l->text, "%s  %s\n", name, what);
	flush_text(l);
}

static void show_own(void *arg, const struct mp_builtin *own)
{
	struct listing *l = arg;

	l->found++;
	mp_buf_printf(&l->text, "%s  %s\n", own->name, own->what);
	if (l->verbose)
		show_fields(l, own->fields, own->n_fields, false);
	flush_text(l);
}

static void show_collector(void *arg, const char *name)
{
	struct listing *l = arg;
	char *error;
	struct mp_collector *c = mp_collector_load(name, &error);

	l->found++;
	mp_buf_printf(&l->text, "%s  collector: %s\n", name, c ? c->summary : error);
	if (!c)
		free(error);
	mp_collector_free(c);
	flush_text(l);
}

static void try_tracepoint(void *arg, const char *system, const char *name)
{
	struct listing *l = arg;
	char *full = mp_asprintf("%s:%s", system, name);

	mp_suggest_try(&l->near, full);
	free(full);
}

static void try_own(void *arg, const struct mp_builtin *own)
{
	struct listing *l = arg;

	mp_suggest_try(&l->near, own->name);
}

static void try_other(void *arg, const char *name, const char *what)
{
	struct listing *l = arg;

	(void)what;
	mp_suggest_try(&l->near, name);
}

static void say_nearest(struct listing *l)
{
	mp_suggest_init(&l->near, l->glob);
	mp_pmu_each("*", try_other, l);
	mp_builtin_each("*", try_own, l);
	if (l->tracefs)
		mp_tracefs_each(l->tracefs, "*:*", try_tracepoint, l);
	if (l->near.best)
		mp_say("no event '%s'; did you mean '%s'?", l->glob, l->near.best);
	else
		mp_say("no event matches '%s'", l->glob);
	mp_suggest_release(&l->near);
}

/* "usdt:FILE[:GLOB]", "uprobe:FILE[:GLOB]" */
static enum mp_status list_places(struct listing *l, const char *kind, const char *rest)
{
	const char *colon = strchr(rest, ':');
	char *file = colon ? mp_strndup(rest, colon - rest) : mp_strdup(rest), *error = NULL;
	struct mp_cut_place_request request = {
		.file = file,
		.what = colon ? colon + 1 : "*",
		.markers = strcmp(kind, "usdt") == 0,
	};
	struct mp_cut_places places;
	size_t i;

	if (mp_binary_answers.places(&request, &places, &error) < 0)
		mp_say("%s", error);
	for (i = 0; i < places.n; i++) {
		const struct mp_cut_place *p = &places.v[i];

		mp_buf_printf(&l->text, "%s:%s:%s%s%s  %s\n", kind, file,
			      p->provider ? p->provider : "", p->provider ? ":" : "", p->name,
			      p->args ? p->args : "");
		flush_text(l);
	}
	mp_buf_release(&l->text);
	mp_cut_places_release(&places);
	free(file);
	if (!error)
		return MP_OK;
	free(error);
	return MP_FAIL;
}

/* What is passed to a function or raw tracepoint, and with it the fields that it may have. */
static void show_traced(void *arg, const char *name)
{
	struct listing *l = arg;
	char *full = mp_asprintf("%s%s", l->prefix, name), *error = NULL;
	struct mp_tp *tp = NULL;
	struct mp_tracing *t = l->verbose ? mp_tracing_parse(full, &tp, &error) : NULL;

	mp_buf_printf(&l->text, "%s\n", full);
	if (tp)
		show_fields(l, tp->fields, tp->n_fields, false);
	else if (error)
		mp_buf_printf(&l->text, "  (%s)\n", error);
	flush_text(l);
	mp_tracing_free(t);
	mp_tp_free(tp);
	free(error);
	free(full);
}

static enum mp_status list_traced(struct listing *l, enum mp_traced traced, const char *glob)
{
	char *prefix = mp_strndup(l->glob, glob - l->glob);
	size_t n;

	l->prefix = prefix;
	n = mp_prototypes_each(traced, *glob ? glob : "*", show_traced, l);
	if (!n)
		mp_say("the kernel's types (BTF) have nothing that matches '%s'", l->glob);
	free(prefix);
	mp_buf_release(&l->text);
	return n ? MP_OK : MP_FAIL;
}

enum mp_status mp_list_events(const char *glob, bool verbose, struct mp_out *out)
{
	struct listing l = { .out = out, .verbose = verbose, .glob = glob ? glob : "*" };
	enum mp_status status = MP_OK;
	enum mp_traced traced;
	const char *rest;
	char *advice;

	if (strncmp(l.glob, "usdt:", 5) == 0)
		return list_places(&l, "usdt", l.glob + 5);
	if (strncmp(l.glob, "uprobe:", 7) == 0)
		return list_places(&l, "uprobe", l.glob + 7);
	if (mp_tracing_kind(l.glob, &traced, &rest))
		return list_traced(&l, traced, rest);
	mp_event_agg_names_each(l.glob, show_other, &l);
	if (!strchr(l.glob, ':')) {
		mp_collectors_each(l.glob, show_collector, &l);
		mp_pmu_each(l.glob, show_other, &l);
	}
	mp_builtin_each(l.glob, show_own, &l);
	l.tracefs = mp_tracefs_open();
	if (l.tracefs) {
		mp_tracefs_each(l.tracefs, strchr(l.glob, ':') ? l.glob : "*:*", show_tracepoint,
				&l);
	} else {
		advice = mp_tracefs_advice(errno);
		mp_say("%s", advice);
		free(advice);
		status = MP_LOSSY;
	}
	if (!l.found) {
		say_nearest(&l);
		status = MP_FAIL;
	}
	mp_tracefs_close(l.tracefs);
	mp_buf_release(&l.text);
	return status;
}
