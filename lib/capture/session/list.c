// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/list.h"

#include <stdlib.h>

#include "lib/capture/event/resolve.h"
#include "lib/capture/session/collector.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/sources.h"
#include "lib/definition/definition.h"
#include "lib/stream/esc.h"

enum { NAME_COLUMNS = 26, NAMES_COLUMNS = 80 };

struct listing {
	struct mp_out *out;
	struct mp_tracefs *tracefs;
	const char *glob;
	bool verbose;
	size_t found;
	const char *heading; /* heading of the names that follow; NULL: it was printed */
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
	if (f->is_array)
		return "list of numbers";
	return mp_names_usual(f->names) ? "number or name, filter with == != < <= > >= &"
					: "number, filter with == != < <= > >= &";
}

/* Prints a number that has a name, in a new line if the current one is full. */
static void put_named(struct listing *l, const struct mp_tp_field *f,
		      const struct mp_names_entry *e, size_t *column)
{
	size_t start;

	if (!*column || *column + strlen(e->text) > NAMES_COLUMNS) {
		mp_buf_str(&l->text, *column ? MP_STR("\n         ") : MP_STR("         "));
		*column = 0;
	}
	start = l->text.len;
	mp_buf_printf(&l->text, f->kind == MP_TP_HEX ? " 0x%llx=" : " %lld=", (long long)e->value);
	mp_esc_terminal(&l->text, mp_str(e->text));
	*column += l->text.len - start;
}

/* Prints the numbers of a field that have names: "8=HRTIMER 9=RCU". */
static void put_names(struct listing *l, const struct mp_tp_field *f)
{
	size_t column = 0, i, j;

	for (i = 0; f->names && i < f->names->n; i++)
		for (j = 0; j < f->names->v[i].n; j++)
			if (*f->names->v[i].v[j].text)
				put_named(l, f, &f->names->v[i].v[j], &column);
	if (column)
		mp_buf_byte(&l->text, '\n');
}

static void put_fields(struct listing *l, const struct cap_listed *e)
{
	char type[16];
	size_t i;

	for (i = 0; i < e->n_fields; i++) {
		mp_tp_type_name(&e->fields[i], type);
		mp_buf_printf(&l->text, "      .%-22s %-6s %s\n", e->fields[i].name, type,
			      e->filter ? what_it_is(&e->fields[i]) : "");
		put_names(l, &e->fields[i]);
	}
	if (e->no_fields)
		mp_buf_printf(&l->text, "      (%s)\n", e->no_fields);
	else if (e->filter)
		mp_buf_printf(&l->text,
			      "      filter: -e '%s/FIELD==VALUE && FIELD~\"glob*\"/'"
			      " (no dot; && || ! and parentheses)\n",
			      e->name);
}

/* Prints a name, and its description in a second column. */
static void put_name(struct listing *l, const char *name, const char *what)
{
	if (l->heading)
		mp_buf_printf(&l->text, "%s%s:\n", l->found ? "\n" : "", l->heading);
	l->heading = NULL;
	l->found++;
	if (what && *what)
		mp_buf_printf(&l->text, "  %-*s  %s\n", NAME_COLUMNS, name, what);
	else
		mp_buf_printf(&l->text, "  %s\n", name);
}

static void show(void *arg, const struct cap_listed *e)
{
	struct listing *l = arg;

	put_name(l, e->name, e->what);
	if (l->verbose)
		put_fields(l, e);
	flush_text(l);
}

static void show_collector(void *arg, const char *name)
{
	struct listing *l = arg;
	char *error;
	struct mp_collector *c = mp_collector_load(name, &error);

	put_name(l, name, c ? c->summary : error);
	if (!c)
		free(error);
	mp_collector_free(c);
	flush_text(l);
}

static void say_nearest(struct listing *l, const char *name)
{
	struct mp_suggest near;

	mp_suggest_init(&near, name);
	mp_events_suggest(&near, cap_sources, &l->tracefs);
	if (near.best)
		mp_say("no event '%s'; did you mean '%s'?", name, near.best);
	else
		mp_say("no event matches '%s'", name);
	mp_suggest_release(&near);
}

/*
 * Asks all sources to list their names, or, if the glob has the prefix of a source, asks only that
 * source and sets `*only`.
 */
static enum mp_status list_sources(struct listing *l, bool *only)
{
	struct cap_listing all = {
		.glob = l->glob,
		.fields = l->verbose,
		.tracefs = &l->tracefs,
		.files = &mp_link_files,
		.show = show,
		.arg = l,
	};
	enum mp_status status = MP_OK;
	size_t i;

	for (i = 0; cap_sources[i] && !*only; i++) {
		l->heading = cap_sources[i]->heading;
		*only = cap_sources[i]->list && cap_sources[i]->list(&all);
		if (!all.error)
			continue;
		mp_say("%s", all.error);
		free(all.error);
		all.error = NULL;
		status = *only ? MP_FAIL : MP_LOSSY;
	}
	return status;
}

static enum mp_status list_glob(struct listing *l, const char *glob, bool *only)
{
	l->glob = glob;
	l->heading = "Collectors";
	if (!strchr(glob, ':'))
		mp_definitions_each(glob, show_collector, l);
	return list_sources(l, only);
}

/*
 * Makes a glob from a word such as "disk", which may be any part of a name. A name with a colon is
 * taken literally if it exists.
 */
enum mp_status mp_list_events(const char *word, bool verbose, struct mp_out *out)
{
	const char *given = word ? word : "*";
	bool glob = strpbrk(given, "*?["), exact = strchr(given, ':'), only = false;
	struct listing l = { .out = out, .verbose = verbose };
	char *part = mp_asprintf("*%s*", given);
	enum mp_status status = MP_OK;

	if (glob || exact)
		status = list_glob(&l, given, &only);
	if (!glob && !only && !l.found && status == MP_OK)
		status = list_glob(&l, part, &only);
	if (!l.found && !only) {
		if (status == MP_OK) /* else one of the events that cannot be listed may match */
			say_nearest(&l, given);
		status = MP_FAIL;
	}
	free(part);
	mp_tracefs_close(l.tracefs);
	mp_buf_release(&l.text);
	return status;
}
