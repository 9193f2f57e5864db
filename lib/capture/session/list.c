// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/list.h"

#include <stdlib.h>

#include "lib/capture/event/resolve.h"
#include "lib/capture/object/places.h"
#include "lib/capture/session/collector.h"
#include "lib/capture/session/sources.h"

struct listing {
	struct mp_out *out;
	struct mp_tracefs *tracefs;
	const char *glob;
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

static void put_fields(struct listing *l, const struct cap_listed *e)
{
	char type[16];
	size_t i;

	for (i = 0; i < e->n_fields; i++) {
		mp_tp_type_name(&e->fields[i], type);
		mp_buf_printf(&l->text, "  .%-22s %-6s %s\n", e->fields[i].name, type,
			      e->filter ? what_it_is(&e->fields[i]) : "");
	}
	if (e->no_fields)
		mp_buf_printf(&l->text, "  (%s)\n", e->no_fields);
	else if (e->filter)
		mp_buf_printf(&l->text,
			      "  filter: -e '%s/FIELD==VALUE && FIELD~\"glob*\"/'"
			      " (no dot; && || ! and parentheses)\n",
			      e->name);
}

static void show(void *arg, const struct cap_listed *e)
{
	struct listing *l = arg;

	l->found++;
	mp_buf_printf(&l->text, "%s%s%s\n", e->name, e->what ? "  " : "", e->what ? e->what : "");
	if (l->verbose)
		put_fields(l, e);
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

static void say_nearest(struct listing *l)
{
	struct mp_suggest near;

	mp_suggest_init(&near, l->glob);
	mp_events_suggest(&near, cap_sources, &l->tracefs);
	if (near.best)
		mp_say("no event '%s'; did you mean '%s'?", l->glob, near.best);
	else
		mp_say("no event matches '%s'", l->glob);
	mp_suggest_release(&near);
}

/* Asks all sources, or the one whose prefix the glob has. */
static enum mp_status list_sources(struct listing *l)
{
	struct cap_listing all = {
		.glob = l->glob,
		.fields = l->verbose,
		.tracefs = &l->tracefs,
		.files = &mp_binary_answers,
		.show = show,
		.arg = l,
	};
	enum mp_status status = MP_OK;
	bool only = false;
	size_t i;

	for (i = 0; cap_sources[i] && !only; i++) {
		only = cap_sources[i]->list && cap_sources[i]->list(&all);
		if (!all.error)
			continue;
		mp_say("%s", all.error);
		free(all.error);
		all.error = NULL;
		status = only ? MP_FAIL : MP_LOSSY;
	}
	if (!l->found && !only) {
		say_nearest(l);
		status = MP_FAIL;
	}
	return status;
}

enum mp_status mp_list_events(const char *glob, bool verbose, struct mp_out *out)
{
	struct listing l = { .out = out, .verbose = verbose, .glob = glob ? glob : "*" };
	enum mp_status status;

	if (!strchr(l.glob, ':'))
		mp_collectors_each(l.glob, show_collector, &l);
	status = list_sources(&l);
	mp_tracefs_close(l.tracefs);
	mp_buf_release(&l.text);
	return status;
}
