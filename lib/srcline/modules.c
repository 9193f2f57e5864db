// SPDX-License-Identifier: GPL-2.0-only
#include "lib/srcline/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	RUNNING_MAX = 16, /* processes that read files, at a time */
	SHOWN_MAX = 5,	  /* modules that a message names */
};

void mp_srcline_modules_init(struct mp_srcline_modules *m)
{
	*m = (struct mp_srcline_modules){ .clock = 0 };
	mp_map_init(&m->by_label, sizeof(struct mp_srcline_module *));
}

static struct mp_srcline_module *value_of(const struct mp_map_entry *e)
{
	return *(struct mp_srcline_module **)mp_map_value(e);
}

static void stop(struct mp_srcline_modules *m, struct mp_srcline_module *module)
{
	m->running -= module->jail.pid != 0;
	mp_jail_stop(&module->jail);
}

void mp_srcline_modules_release(struct mp_srcline_modules *m)
{
	const struct mp_map_entry *e;

	mp_map_each (&m->by_label, e) {
		struct mp_srcline_module *module = value_of(e);

		stop(m, module);
		while (module->n_paths)
			free(module->paths[--module->n_paths]);
		if (module->dwarf.fd >= 0)
			close(module->dwarf.fd);
		if (module->dwarf.alt >= 0)
			close(module->dwarf.alt);
		free(module);
	}
	mp_map_release(&m->by_label);
	mp_srcline_places_release(&m->places);
}

static struct mp_srcline_module *module_of(struct mp_srcline_modules *m, struct mp_str label)
{
	struct mp_srcline_module **at;
	struct mp_map_entry *e;
	bool fresh;

	e = mp_map_put(&m->by_label, &label, 1, &fresh);
	at = mp_map_value(e);
	if (fresh) {
		*at = mp_zalloc(sizeof(**at));
		(*at)->label = e->key;
		(*at)->dwarf = (struct mp_dwarf){ .fd = -1, .alt = -1 };
		(*at)->jail.fd = -1;
	}
	return *at;
}

static void add_path(struct mp_srcline_module *module, const char *path)
{
	size_t i;

	for (i = 0; i < module->n_paths; i++)
		if (strcmp(module->paths[i], path) == 0)
			return;
	if (i < MP_SRCLINE_PATHS_MAX)
		module->paths[module->n_paths++] = mp_strdup(path);
}

/* The path without " (deleted)": a file of the same build may be there again. */
static char *path_of(json_t *line)
{
	struct mp_str path = mp_str(json_string_value(json_object_get(line, "path")));
	struct mp_str deleted = MP_STR(" (deleted)");

	if (mp_str_ends(path, deleted))
		path.len -= deleted.len;
	return mp_strndup(path.p, path.len);
}

void mp_srcline_modules_note(struct mp_srcline_modules *m, json_t *line)
{
	const char *label = json_string_value(json_object_get(line, "module"));
	const char *id = json_string_value(json_object_get(line, "build_id"));
	struct mp_srcline_module *module;
	char *path;

	if (!label)
		return;
	module = module_of(m, mp_str(label));
	if (id && strlen(id) <= MP_BUILD_ID_DIGITS) {
		if (module->id[0] && strcmp(module->id, id) != 0)
			module->state = MP_SRCLINE_CLASH;
		snprintf(module->id, sizeof(module->id), "%s", id);
	}
	if (module->state != MP_SRCLINE_NEW || !json_is_string(json_object_get(line, "path")))
		return;
	path = path_of(line);
	add_path(module, path);
	free(path);
}

/* --- its file --------------------------------------------------------------------------------- */

/* Splits "nginx:8f3a9c0d"; the id of a module without one is "-". */
static void split_label(struct mp_str label, struct mp_str *name, struct mp_str *id)
{
	const char *colon = memrchr(label.p, ':', label.len);
	size_t len = colon ? (size_t)(colon - label.p) : label.len;

	*name = (struct mp_str){ label.p, len };
	*id = mp_str_skip(label, MP_MIN(len + 1, label.len));
	if (mp_str_eq(*id, MP_STR("-")))
		id->len = 0;
}

static enum mp_srcline_state state_of(const struct mp_srcline_search *s)
{
	if (s->fd >= 0)
		return s->partial ? MP_SRCLINE_PARTIAL : MP_SRCLINE_FOUND;
	if (s->matched)
		return MP_SRCLINE_BARE;
	return s->other ? MP_SRCLINE_OTHER : MP_SRCLINE_MISSING;
}

static void find_file(struct mp_srcline_modules *m, struct mp_srcline_module *module)
{
	struct mp_srcline_search s = {
		.places = &m->places,
		.fd = -1,
		.alt = -1,
		.plain = -1,
	};
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_str name, id;
	size_t i;

	split_label(module->label, &name, &id);
	mp_esc_undo(&raw, name);
	mp_buf_byte(&raw, '\0');
	s.name = raw.p;
	if (module->id[0] && mp_str_starts(mp_str(module->id), id))
		id = mp_str(module->id);
	snprintf(s.id, sizeof(s.id), "%.*s", MP_STR_ARGS(id));
	for (i = 0; i < module->n_paths; i++)
		mp_srcline_search_path(&s, module->paths[i]);
	mp_srcline_search_rest(&s);
	if (s.fd < 0) {
		s.fd = s.plain;
		s.plain = -1;
	}
	module->state = state_of(&s);
	if (s.plain >= 0)
		close(s.plain);
	module->dwarf = (struct mp_dwarf){
		.fd = s.fd,
		.symbols = m->places.symbols,
		.alt = s.alt,
		.kernel = mp_str_eq(name, MP_STR("[kernel]")),
	};
	if (module->state == MP_SRCLINE_OTHER) {
		mp_say("%.*s: '%s' is another build, %s: its frames keep their places",
		       MP_STR_ARGS(module->label), s.other,
		       s.other_id[0] ? s.other_id : "without id");
		m->refused++;
	}
	free(s.other);
	mp_buf_release(&raw);
}

/* Stops the process that was not used for the longest time. */
static void make_room(struct mp_srcline_modules *m)
{
	struct mp_srcline_module *oldest = NULL;
	const struct mp_map_entry *e;

	if (m->running < RUNNING_MAX)
		return;
	mp_map_each (&m->by_label, e)
		if (value_of(e)->jail.pid && (!oldest || value_of(e)->used < oldest->used))
			oldest = value_of(e);
	stop(m, oldest);
}

size_t mp_srcline_modules_lines(struct mp_srcline_modules *m, const struct mp_place *place,
				char answer[MP_JAIL_ANSWER_MAX])
{
	struct mp_srcline_module *module = module_of(m, place->module);
	ssize_t n;

	if (module->state == MP_SRCLINE_NEW)
		find_file(m, module);
	if (module->state != MP_SRCLINE_FOUND && module->state != MP_SRCLINE_PARTIAL)
		return 0;
	module->used = ++m->clock;
	if (!module->jail.pid) {
		make_room(m);
		if (mp_jail_start(&module->jail, mp_dwarf_lines, &module->dwarf) < 0)
			mp_die("cannot start a process: %m");
		m->running++;
	}
	n = mp_jail_ask(&module->jail, &place->offset, sizeof(place->offset), answer);
	if (n > 0)
		return n == 1 ? 0 : (size_t)n;
	m->running--;
	m->broken++;
	module->state = MP_SRCLINE_BROKEN;
	mp_say("%.*s: its debug information cannot be read: it is damaged, or too large",
	       MP_STR_ARGS(module->label));
	return 0;
}

/* --- what was not found ----------------------------------------------------------------------- */

static void add_modules(const struct mp_srcline_modules *m, enum mp_srcline_state state,
			const char *why, struct mp_buf *to)
{
	const struct mp_map_entry *e;
	size_t n = 0;

	mp_map_each (&m->by_label, e) {
		if (value_of(e)->state != state)
			continue;
		if (n++ < SHOWN_MAX)
			mp_buf_printf(to, "%s %.*s", n == 1 ? (to->len ? ";" : "") : ",",
				      MP_STR_ARGS(e->key));
	}
	if (n > SHOWN_MAX)
		mp_buf_printf(to, " and %zu more", n - SHOWN_MAX);
	if (n)
		mp_buf_printf(to, " (%s)", why);
}

enum mp_status mp_srcline_modules_report(const struct mp_srcline_modules *m)
{
	struct mp_buf text = { NULL, 0, 0 };
	bool unused = false;
	size_t i;

	add_modules(m, MP_SRCLINE_MISSING, "no file of this build found", &text);
	add_modules(m, MP_SRCLINE_BARE, "no debug information found", &text);
	add_modules(m, MP_SRCLINE_CLASH, "several builds have this name", &text);
	if (text.len)
		mp_say("no lines for%.*s", MP_STR_ARGS(mp_buf_view(&text)));
	text.len = 0;
	add_modules(m, MP_SRCLINE_PARTIAL,
		    "the debug file that it shares with others was not found", &text);
	if (text.len)
		mp_say("lines without names for%.*s", MP_STR_ARGS(mp_buf_view(&text)));
	mp_buf_release(&text);
	for (i = 0; i < m->places.n_named; i++) {
		const struct mp_srcline_named *n = &m->places.named[i];

		if (n->used)
			continue;
		mp_say("'%s' is not a file of the input: its build id is %s", n->path,
		       n->probe.id[0] ? n->probe.id : "missing");
		unused = true;
	}
	return m->refused || m->broken || unused ? MP_LOSSY : MP_OK;
}
