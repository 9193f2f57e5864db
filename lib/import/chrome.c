// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads trace events, the JSON that chrome://tracing and Perfetto load and many programs write.
 * Their form is that of the "Trace Event Format" (Google Docs, 1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
 */
#include <math.h>
#include <stdlib.h>

#include "lib/import/format.h"
#include "lib/import/json.h"
#include "lib/stream/esc.h"

enum {
	KEY_MAX = 126,	       /* bytes of a field's name after its point */
	OPEN_MAX = 1 << 20,    /* begins that may wait for their end */
	ARGS_MAX = 64 << 20,   /* bytes of their names and fields */
	TRACKS_MAX = 64 << 20, /* bytes of the names of threads and other tracks */
	COMM_MAX = 255,
};

/* A begin that waits for its end. */
struct open {
	struct mp_str name, args;
	uint64_t time_ns;
};

/* A thread, or an asynchronous track: its begins, innermost last. */
struct track {
	struct open *open;
	size_t n, cap;
	struct mp_str comm;
};

struct state {
	struct mp_import *im;
	struct mp_map tracks; /* "t", pid, tid or kind, category, id -> index + 1 */
	struct track *v;
	size_t n, cap;
	size_t n_open, args_bytes;
	bool any; /* there is a list of events, though it may be empty */
	struct mp_buf args, pid, tid;
	struct mp_map ended; /* the names of the fields of an end */
	struct mp_buf joined;
};

/* An id, which is a number or a string. */
static void put_id(struct mp_buf *to, const json_t *id)
{
	to->len = 0;
	if (json_is_integer(id))
		mp_buf_printf(to, "%lld", (long long)json_integer_value(id));
	else
		mp_buf_str(to, mp_import_json_text(id));
}

static struct track *track_of(struct state *s, struct mp_str kind, struct mp_str a, struct mp_str b)
{
	struct mp_str parts[] = { kind, a, b };
	struct mp_map_entry *e;
	size_t *index;

	if (mp_map_bytes(&s->tracks) > TRACKS_MAX && !mp_map_find(&s->tracks, parts, 3))
		return NULL;
	e = mp_map_put(&s->tracks, parts, 3, NULL);
	index = mp_map_value(e);
	if (!*index) {
		if (s->n == s->cap)
			s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->v[s->n] = (struct track){ .n = 0 };
		*index = ++s->n;
	}
	return &s->v[*index - 1];
}

/* Whether this may be the name of a field; mp-export writes the names with their point. */
static bool is_key(const char *key)
{
	size_t i, n;

	key += *key == '.';
	n = strlen(key);

	if (!n || n > KEY_MAX || mp_import_digit(*key))
		return false;
	for (i = 0; i < n; i++)
		if (!mp_import_letter(key[i]) && !mp_import_digit(key[i]) && key[i] != '_')
			return false;
	return true;
}

static void put_value(struct mp_buf *to, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		mp_esc_add(to, mp_import_json_text(value), MP_ESC_VALUE);
	} else if (json_is_integer(value)) {
		mp_buf_printf(to, "%lld", (long long)json_integer_value(value));
	} else {
		text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		mp_esc_add(to, text ? mp_str(text) : MP_STR(""), MP_ESC_VALUE);
		free(text);
	}
}

/*
 * The members of args whose names can be those of fields: "\t.KEY=VALUE" for each. The end of a span
 * has the category of its begin.
 */
static struct mp_str fields_of(struct state *s, const json_t *event, bool ends)
{
	json_t *value;
	const char *key;

	s->args.len = 0;
	if (!ends && json_is_string(json_object_get(event, "cat"))) {
		mp_buf_add(&s->args, "\t.cat=", 6);
		put_value(&s->args, json_object_get(event, "cat"));
	}
	json_object_foreach (json_object_get(event, "args"), key, value) {
		if (!is_key(key) || (strcmp(key, "cat") == 0 && s->args.len) || json_is_null(value))
			continue;
		mp_buf_add(&s->args, "\t.", 2);
		mp_buf_str(&s->args, mp_str(key + (*key == '.')));
		mp_buf_byte(&s->args, '=');
		put_value(&s->args, value);
	}
	return mp_buf_view(&s->args);
}

/* A time in us as ns; -1: there is none. The whole us are exact in a double. */
static int64_t ns_of(const json_t *us)
{
	double v = json_number_value(us), whole = floor(v);

	if (!json_is_number(us) || !(v >= 0) || v > 4e15)
		return -1;
	return (int64_t)whole * 1000 + (int64_t)round((v - whole) * 1000);
}

/* Writes an event of the thread in `pid` and `tid`; dur_ns -1: it is no span. */
static void put(struct state *s, int64_t time_ns, struct mp_str name, struct mp_str fields,
		int64_t dur_ns)
{
	struct mp_import *im = s->im;
	struct track *thread = track_of(s, MP_STR("t"), mp_buf_view(&s->pid), mp_buf_view(&s->tid));

	mp_import_begin(im, MP_EVENT, "chrome");
	mp_import_event(im, (uint64_t)time_ns, name);
	if (s->pid.len)
		mp_import_field(im, "pid", mp_buf_view(&s->pid));
	if (s->tid.len)
		mp_import_field(im, "tid", mp_buf_view(&s->tid));
	if (thread && thread->comm.p)
		mp_import_field(im, "comm", thread->comm);
	if (fields.len)
		mp_buf_str(&im->line, im->line.len > im->body ? fields : mp_str_skip(fields, 1));
	if (dur_ns >= 0)
		mp_import_integer(im, "dur", dur_ns);
	mp_import_write(im);
}

static struct mp_str copy(struct mp_str s)
{
	return (struct mp_str){ mp_memdup(s.p, s.len ? s.len : 1), s.len };
}

static void push(struct state *s, struct track *t, struct mp_str name, struct mp_str args,
		 int64_t time_ns)
{
	if (!t || s->n_open == OPEN_MAX || s->args_bytes + name.len > ARGS_MAX) {
		mp_import_bad(s->im, "too many events have begun");
		return;
	}
	if (t->n == t->cap)
		t->open = mp_grow(t->open, &t->cap, t->n + 1, sizeof(*t->open));
	if (s->args_bytes + args.len + name.len > ARGS_MAX)
		args = MP_STR("");
	s->args_bytes += args.len + name.len;
	s->n_open++;
	t->open[t->n++] = (struct open){ copy(name), copy(args), (uint64_t)time_ns };
}

static void drop(struct state *s, struct open *o)
{
	s->args_bytes -= o->args.len + o->name.len;
	s->n_open--;
	free((char *)o->name.p);
	free((char *)o->args.p);
}

/* The fields of a begin and of its end; of two with the same name that of the end. */
static struct mp_str joined(struct state *s, struct mp_str begun, struct mp_str ended)
{
	struct mp_str rest = ended, key, value, field;

	if (!begun.len || !ended.len)
		return begun.len ? begun : ended;
	mp_map_clear(&s->ended);
	for (rest = mp_str_skip(ended, 1); mp_rec_next_field(&rest, &key, &value);)
		mp_map_put(&s->ended, &key, 1, NULL);
	s->joined.len = 0;
	for (rest = mp_str_skip(begun, 1); mp_rec_next_field(&rest, &key, &value);) {
		if (mp_map_find(&s->ended, &key, 1))
			continue;
		field = (struct mp_str){ key.p - 1, key.len + value.len + 2 };
		mp_buf_str(&s->joined, field);
	}
	mp_buf_str(&s->joined, ended);
	return mp_buf_view(&s->joined);
}

/* Ends the innermost begin of a track. */
static void pop(struct state *s, struct track *t, struct mp_str args, int64_t time_ns)
{
	struct open *o = t && t->n ? &t->open[t->n - 1] : NULL;

	if (!o) {
		mp_import_skip(s->im, MP_STR("unmatched-ends"));
		return;
	}
	t->n--;
	put(s, time_ns, o->name, joined(s, o->args, args),
	    MP_MAX(time_ns - (int64_t)o->time_ns, (int64_t)0));
	drop(s, o);
}

/* The name of a thread; threads that are not named have that of their process. */
static void metadata(struct state *s, struct mp_str what, const json_t *event)
{
	struct mp_str name =
		mp_import_json_text(json_object_get(json_object_get(event, "args"), "name"));
	struct track *thread;

	if (!mp_str_eq(what, MP_STR("thread_name")))
		return;
	thread = track_of(s, MP_STR("t"), mp_buf_view(&s->pid), mp_buf_view(&s->tid));
	if (!thread)
		return;
	free((char *)thread->comm.p);
	name.len = MP_MIN(name.len, (size_t)COMM_MAX);
	thread->comm = copy(name);
}

/*
 * The track of an asynchronous event, by its category, its id, and its scope if it has one. An "id2"
 * may be local to the process. S and F have nothing to do with others of the same id by another name.
 */
static struct track *async_track(struct state *s, const json_t *event, char phase,
				 struct mp_str name)
{
	const json_t *id2 = json_object_get(event, "id2"), *local = json_object_get(id2, "local");
	const json_t *global = json_object_get(id2, "global");
	struct mp_buf id = { NULL, 0, 0 }, kind = { NULL, 0, 0 };
	struct track *t;

	put_id(&kind, json_object_get(event, "scope"));
	mp_buf_printf(&kind, " %c ", phase == 'S' || phase == 'F' ? 'S' : 'b');
	if (local)
		mp_buf_str(&kind, mp_buf_view(&s->pid));
	put_id(&id, local ? local : global ? global : json_object_get(event, "id"));
	if (phase == 'S' || phase == 'F')
		mp_buf_printf(&id, " %.*s", MP_STR_ARGS(name));
	t = track_of(s, mp_buf_view(&kind), mp_import_json_text(json_object_get(event, "cat")),
		     mp_buf_view(&id));
	mp_buf_release(&id);
	mp_buf_release(&kind);
	return t;
}

static void timed(struct state *s, char phase, struct mp_str name, const json_t *event)
{
	int64_t time_ns = ns_of(json_object_get(event, "ts")), dur_ns;
	bool ends = strchr("EeF", phase) != NULL;
	struct mp_str fields = fields_of(s, event, ends);
	struct track *thread = NULL;

	if (time_ns < 0) {
		mp_import_bad(s->im, "an event without a time, or out of range");
		return;
	}
	if (phase == 'B' || phase == 'E')
		thread = track_of(s, MP_STR("t"), mp_buf_view(&s->pid), mp_buf_view(&s->tid));
	else if (strchr("beSF", phase))
		thread = async_track(s, event, phase, name);
	if (strchr("BbS", phase)) {
		push(s, thread, name, fields, time_ns);
	} else if (ends) {
		pop(s, thread, fields, time_ns);
	} else {
		dur_ns = phase == 'X' ? MP_MAX(ns_of(json_object_get(event, "dur")), (int64_t)0)
				      : -1;
		put(s, time_ns + MP_MAX(dur_ns, (int64_t)0), name, fields, dur_ns);
	}
}

static void take_event(void *arg, json_t *event)
{
	struct mp_str phase = mp_import_json_text(json_object_get(event, "ph"));
	struct mp_str name = mp_import_json_text(json_object_get(event, "name"));
	struct state *s = arg;
	char c = phase.len == 1 ? *phase.p : 0;

	s->any = true;
	if (!c) {
		mp_import_bad(s->im, "an event without a phase");
		return;
	}
	put_id(&s->pid, json_object_get(event, "pid"));
	put_id(&s->tid, json_object_get(event, "tid"));
	if (c == 'M')
		metadata(s, name, event);
	else if (strchr("BEXiIRCPbenSF", c))
		timed(s, c, name, event);
	else if (strchr("stf", c))
		mp_import_skip(s->im, MP_STR("flows"));
	else
		mp_import_skip(s->im, MP_STR("other-phases"));
}

static void end_list(void *arg, json_t *none)
{
	struct state *s = arg;

	(void)none;
	s->any = true;
}

static const struct mp_import_path paths[] = { { ".traceEvents[]", take_event },
					       { ".traceEvents}", end_list },
					       { "[]", take_event } };

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };
	size_t i;

	im->source = "trace events";
	mp_map_init(&s.tracks, sizeof(size_t));
	mp_map_init(&s.ended, 0);
	mp_import_json(im, paths, MP_ARRAY_SIZE(paths), &s);
	if (s.any || im->truncated)
		mp_import_begin(im, MP_EVENT, "chrome");
	else
		mp_import_refuse(im, "the JSON has no list of trace events");
	for (i = 0; i < s.n; i++) {
		while (s.v[i].n) {
			mp_import_skip(im, MP_STR("unmatched-begins"));
			drop(&s, &s.v[i].open[--s.v[i].n]);
		}
		free(s.v[i].open);
		free((char *)s.v[i].comm.p);
	}
	free(s.v);
	mp_map_release(&s.tracks);
	mp_map_release(&s.ended);
	mp_buf_release(&s.joined);
	mp_buf_release(&s.args);
	mp_buf_release(&s.pid);
	mp_buf_release(&s.tid);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	bool phase = mp_import_find(line, "\"ph\"") < line.len;

	if (first && *line.p == '{' && mp_import_find(line, "\"traceEvents\"") < line.len)
		return MP_IMPORT_CERTAIN;
	if (phase && mp_import_find(line, "\"pid\"") < line.len &&
	    mp_import_find(line, "\"ts\"") < line.len)
		return MP_IMPORT_DISTINCT;
	return mp_import_find(line, "\"traceEvents\"") < line.len ? MP_IMPORT_DISTINCT
								  : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_chrome = { "chrome", looks_like, NULL, parse };
