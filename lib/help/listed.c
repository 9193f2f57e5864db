// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/listed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/stream/ctl.h"

enum {
	LINES_MAX = 64, /* lines that are read of a file */
	BYTES_MAX = MP_LINE_MAX,
};

bool mp_help_next_recordable(struct mp_str *rest, struct mp_help_recordable *r)
{
	while (rest->len) {
		const char *lf = memchr(rest->p, '\n', rest->len), *blank;
		struct mp_str line = { rest->p, lf ? (size_t)(lf - rest->p) : rest->len };

		*rest = mp_str_skip(*rest, lf ? line.len + 1 : line.len);
		if (!mp_str_starts(line, MP_STR("  "))) {
			r->collector = mp_str_eq(line, MP_STR("Collectors:"));
			continue;
		}
		line = mp_str_trim(line);
		blank = memchr(line.p, ' ', line.len);
		r->name = (struct mp_str){ line.p, blank ? (size_t)(blank - line.p) : line.len };
		r->text = mp_str_trim(mp_str_skip(line, r->name.len));
		return true;
	}
	return false;
}

static const struct {
	const char *name, *about;
} standard[] = {
	{ "time", "time of the event, in ns" },
	{ "type", "what happened" },
	{ "host", "host, in a merged stream" },
	{ "cpu", "number of the CPU" },
	{ "pid", "process" },
	{ "tid", "thread" },
	{ "comm", "name of the thread" },
	{ "period", "number of occurrences that a sample represents" },
	{ "addr", "data address" },
	{ "cgroup", "path of the cgroup" },
	{ "nspid", "process in its pid namespace" },
	{ "nstid", "thread in its pid namespace" },
	{ "dur", "duration in ns" },
	{ "latency", "cycles that an access to memory took" },
	{ "op", "kind of an access to memory" },
	{ "level", "where the data came from" },
	{ "snoop", "result of the snoop" },
	{ "tlb", "where the translation came from" },
	{ "lock", "whether the access was locked" },
	{ "stack", "call stack" },
};

static struct mp_str about_standard(struct mp_str name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(standard); i++)
		if (mp_str_eq(name, mp_str(standard[i].name)))
			return mp_str(standard[i].about);
	return MP_STR("");
}

struct listing {
	bool types; /* else fields */
	bool any;   /* a file was a stream */
	mp_help_fn *each;
	void *arg;
};

static void list_header(struct listing *l, const struct mp_rec *rec)
{
	json_t *fields, *value;
	const char *type, *name, *why;
	struct mp_ctl ctl;

	if (mp_ctl_parse(&ctl, rec->line, &why) == 0 && ctl.what == MP_CTL_HEADER) {
		l->any = true;
		json_object_foreach (json_object_get(ctl.json, "events"), type, fields) {
			if (l->types)
				l->each(l->arg, mp_str(type), MP_STR(""));
			json_object_foreach (fields, name, value)
				if (!l->types && json_is_string(value))
					l->each(l->arg, mp_str(name),
						mp_str(json_string_value(value)));
		}
	}
	mp_ctl_release(&ctl);
}

static void list_event(struct listing *l, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;

	l->any = true;
	if (l->types) {
		l->each(l->arg, rec->type, MP_STR(""));
		return;
	}
	l->each(l->arg, MP_STR("time"), about_standard(MP_STR("time")));
	l->each(l->arg, MP_STR("type"), about_standard(MP_STR("type")));
	while (mp_rec_next_field(&rest, &key, &value))
		l->each(l->arg, key, about_standard(key));
}

static void list_file(struct listing *l, const char *path)
{
	struct stat st;
	struct mp_rec rec;
	const char *why;
	struct mp_in in;
	size_t n, len, bytes = 0;
	char *text;
	int fd;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	mp_in_init(&in, fd, path, NULL);
	for (n = 0; n < LINES_MAX && bytes < BYTES_MAX && mp_in_line(&in, &text, &len); n++) {
		bytes += len;
		if (mp_rec_parse(&rec, text, len, &why) < 0)
			continue;
		if (rec.kind == MP_CONTROL)
			list_header(l, &rec);
		else if (rec.kind == MP_EVENT)
			list_event(l, &rec);
	}
	mp_in_release(&in);
	close(fd);
}

static void list(struct listing *l, char **words)
{
	size_t i;

	for (; *words; words++)
		if (**words && **words != '-')
			list_file(l, *words);
	for (i = 0; !l->any && !l->types && i < MP_ARRAY_SIZE(standard); i++)
		l->each(l->arg, mp_str(standard[i].name), mp_str(standard[i].about));
}

void mp_help_list_fields(char **words, mp_help_fn *each, void *arg)
{
	list(&(struct listing){ .types = false, .each = each, .arg = arg }, words);
}

void mp_help_list_types(char **words, mp_help_fn *each, void *arg)
{
	list(&(struct listing){ .types = true, .each = each, .arg = arg }, words);
}
