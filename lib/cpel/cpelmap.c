// SPDX-License-Identifier: GPL-2.0-only
#include "lib/cpel/cpelmap.h"

#include <stdlib.h>

#include "lib/core/natural.h"

enum {
	/* bytes; G2 draws 8 px for each, and 126 would leave no room for the events */
	LABEL_MAX = 64,
	/* the first numbers of types; the types of the stream follow */
	TYPE_SWITCHED_IN = 0,
	TYPE_WOKEN,
	TYPE_WAKING, /* counts as a wakeup, unless the stream has sched_wakeup events */
	TYPE_LOST,
	TYPE_FIRST,
	/* the first numbers of tracks; those of the stream follow */
	TRACK_LOST = 0,
	TRACK_FIRST,
};

enum about {
	ABOUT_NOTHING,
	ABOUT_SWITCH,
	ABOUT_WAKEUP,
	ABOUT_WAKING,
};

struct type {
	uint32_t number;
	enum about about;
	bool real_wakeup;
	/* states: the begins of run and wait are 1 and 2, what is not a state is 0 */
	unsigned rank;
};

struct track {
	uint32_t number; /* number of the track, in order of appearance */
	struct mp_str key;
	struct mp_str tid; /* id of the thread if this is a thread's track; part of the key */
	bool nobody;	   /* the track for events without a thread */
	bool used, waking; /* has events; has some that may become wakeups */
	struct mp_buf pid, comm;
};

/* The fields of an event that are read by name. */
enum known {
	CPU,
	PID,
	TID,
	COMM,
	NEXT_PID,
	NEXT_COMM,
	PREV_PID,
	PREV_COMM,
	ABOUT_PID,
	ABOUT_COMM,
	N_KNOWN,
};

static const struct mp_str known_names[N_KNOWN] = {
	[CPU] = { "cpu", 3 },
	[PID] = { "pid", 3 },
	[TID] = { "tid", 3 },
	[COMM] = { "comm", 4 },
	[NEXT_PID] = { ".next_pid", 9 },
	[NEXT_COMM] = { ".next_comm", 10 },
	[PREV_PID] = { ".prev_pid", 9 },
	[PREV_COMM] = { ".prev_comm", 10 },
	[ABOUT_PID] = { ".pid", 4 },
	[ABOUT_COMM] = { ".comm", 5 },
};

void mp_cpelmap_init(struct mp_cpelmap *m, const struct mp_cpelmap_style *style)
{
	const struct mp_fields *track = &style->track;
	bool one = track->n == 1;

	*m = (struct mp_cpelmap){ .style = style };
	m->processes = one && mp_str_eq(track->v[0].name, known_names[PID]);
	m->threads = m->processes || (one && mp_str_eq(track->v[0].name, known_names[TID]));
	mp_cpel_init(&m->file);
	mp_map_init(&m->tracks, sizeof(struct track));
	mp_map_init(&m->types, sizeof(struct type));
}

void mp_cpelmap_release(struct mp_cpelmap *m)
{
	struct mp_map_entry *e;

	mp_map_each (&m->tracks, e) {
		struct track *t = mp_map_value(e);

		mp_buf_release(&t->pid);
		mp_buf_release(&t->comm);
	}
	mp_map_release(&m->tracks);
	mp_map_release(&m->types);
	mp_cpel_release(&m->file);
	mp_buf_release(&m->text);
	free(m->losses);
}

static enum about about(struct mp_str type)
{
	if (mp_str_eq(type, MP_STR("sched:sched_switch")))
		return ABOUT_SWITCH;
	if (mp_str_eq(type, MP_STR("sched:sched_waking")))
		return ABOUT_WAKING;
	if (mp_str_eq(type, MP_STR("sched:sched_wakeup")) ||
	    mp_str_eq(type, MP_STR("sched:sched_wakeup_new")))
		return ABOUT_WAKEUP;
	return ABOUT_NOTHING;
}

static struct type *type_of(struct mp_cpelmap *m, struct mp_str name)
{
	bool fresh;
	struct type *t = mp_map_value(mp_map_put(&m->types, &name, 1, &fresh));

	if (fresh) {
		t->number = TYPE_FIRST + m->types.n - 1;
		t->about = m->threads ? about(name) : ABOUT_NOTHING;
		t->real_wakeup = mp_str_eq(name, MP_STR("sched:sched_wakeup"));
	}
	return t;
}

static void set(struct mp_buf *b, struct mp_str value)
{
	if (!value.p || (b->p && mp_str_eq(mp_buf_view(b), value)))
		return;
	b->len = 0;
	mp_buf_str(b, value);
	mp_buf_byte(b, '\0'); /* so that b->p is not NULL if the value is empty */
	b->len--;
}

static struct track *put_track(struct mp_cpelmap *m, const struct mp_str *parts, size_t n)
{
	bool fresh;
	struct mp_map_entry *e = mp_map_put(&m->tracks, parts, n, &fresh);
	struct track *t = mp_map_value(e);

	if (fresh) {
		t->number = TRACK_FIRST + m->tracks.n - 1;
		t->key = e->key;
		t->tid = (struct mp_str){ e->key.p, parts[0].len };
	}
	return t;
}

/*
 * Finds or creates the track of a thread; thread 0 has one for each CPU. Remembers the given values
 * of the thread; those that are not known have p == NULL.
 */
static struct track *thread(struct mp_cpelmap *m, struct mp_str tid, struct mp_str pid,
			    struct mp_str comm, struct mp_str cpu)
{
	struct mp_str parts[2] = { tid, cpu };
	bool idle = cpu.p && mp_str_eq(tid, MP_STR("0"));
	struct track *t = put_track(m, parts, idle ? 2 : 1);

	set(&t->pid, pid);
	set(&t->comm, comm);
	return t;
}

/* The text that replaces the value of a field that the event lacks. */
static struct mp_str missing(struct mp_buf *b, struct mp_str field)
{
	size_t start = b->len;

	mp_buf_printf(b, "[no %.*s]", MP_STR_ARGS(field));
	return (struct mp_str){ b->p + start, b->len - start };
}

static struct track *track_of(struct mp_cpelmap *m, const struct mp_rec *rec,
			      const struct mp_str *known)
{
	const struct mp_fields *fields = &m->style->track;
	struct mp_str parts[MP_CPELMAP_FIELDS_MAX];
	struct track *t;
	size_t i;

	if (m->threads && (known[TID].p || known[PID].p))
		return thread(m, known[TID].p ? known[TID] : known[PID], known[PID], known[COMM],
			      known[CPU]);
	if (!m->threads)
		mp_rec_names(rec, fields, parts);
	m->text.len = 0;
	/* reserved at once, so that slices of it stay valid */
	mp_buf_reserve(&m->text, MP_CPELMAP_FIELDS_MAX * 160);
	for (i = 0; i < fields->n; i++)
		if (m->threads || !parts[i].p)
			parts[i] = missing(&m->text, fields->v[i].name);
	t = put_track(m, parts, fields->n);
	t->nobody = m->threads;
	return t;
}

static void say(struct mp_buf *to, struct mp_str key, struct mp_str value)
{
	if (to->len)
		mp_buf_byte(to, ' ');
	mp_cpel_ascii(to, key, SIZE_MAX, false);
	mp_buf_byte(to, '=');
	mp_cpel_ascii(to, value, SIZE_MAX, false);
}

/* Whether the label of the track contains this field. */
static bool on_label(const struct mp_cpelmap *m, struct mp_str key)
{
	size_t i;

	if (m->threads)
		return mp_str_eq(key, known_names[PID]) || mp_str_eq(key, known_names[TID]) ||
		       mp_str_eq(key, known_names[COMM]);
	for (i = 0; i < m->style->track.n; i++)
		if (mp_str_eq(key, m->style->track.v[i].name))
			return true;
	return false;
}

/* Makes the text of the event, and finds its fields that are read by name. */
static uint32_t read_fields(struct mp_cpelmap *m, const struct mp_rec *rec, struct mp_str *known)
{
	const struct mp_fields *says = &m->style->says;
	struct mp_str rest = rec->body, key, value, values[MP_CPELMAP_FIELDS_MAX];
	size_t i;

	memset(known, 0, N_KNOWN * sizeof(*known));
	m->text.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		for (i = 0; m->threads && i < N_KNOWN; i++)
			if (mp_str_eq(key, known_names[i]))
				known[i] = value;
		if (!says->n && !mp_str_eq(key, MP_STR("stack")) && !on_label(m, key))
			say(&m->text, key, value);
	}
	if (says->n) {
		mp_rec_names(rec, says, values);
		for (i = 0; i < says->n; i++)
			if (values[i].p)
				say(&m->text, says->v[i].name, values[i]);
	}
	return mp_cpel_text(&m->file, mp_buf_view(&m->text));
}

/* Writes the event again, on the track of the thread that it is about. */
static void add_about(struct mp_cpelmap *m, const struct mp_rec *rec, const struct type *type,
		      const struct mp_str *known)
{
	static const struct mp_str none = { NULL, 0 };
	uint32_t number = TYPE_WOKEN;
	struct track *t;

	if (type->about == ABOUT_SWITCH) {
		t = thread(m, known[NEXT_PID], none, known[NEXT_COMM], known[CPU]);
		number = TYPE_SWITCHED_IN;
	} else {
		t = thread(m, known[ABOUT_PID], none, known[ABOUT_COMM], known[CPU]);
	}
	if (type->about == ABOUT_WAKING) {
		number = TYPE_WAKING;
		m->wakings++;
		t->waking = true;
	} else {
		t->used = true;
	}
	mp_cpel_event(&m->file, rec->time_ns, t->number, number, MP_CPEL_OF_TRACK);
}

/*
 * Writes the losses whose lines were before an event of this time. G2 hides what follows an event
 * that goes back in time, so none is earlier than the event before, or later than this one.
 */
static void write_losses(struct mp_cpelmap *m, uint64_t until_ns)
{
	size_t i;

	for (i = 0; i < m->n_losses; i++) {
		m->last_ns = MP_MAX(m->last_ns, MP_MIN(m->losses[i].time_ns, until_ns));
		mp_cpel_event(&m->file, m->last_ns, TRACK_LOST, TYPE_LOST, m->losses[i].datum);
	}
	m->n_losses = 0;
}

static void say_number(struct mp_buf *to, struct mp_str key, uint64_t n)
{
	char digits[MP_NUM_MAX];

	say(to, key, (struct mp_str){ digits, mp_put_u64(digits, n) - digits });
}

void mp_cpelmap_lost(struct mp_cpelmap *m, const struct mp_ctl *loss)
{
	m->text.len = 0;
	say_number(&m->text, MP_STR("lost"), loss->lost);
	if (loss->from_ns && loss->from_ns < loss->time_ns)
		say_number(&m->text, MP_STR("dur"), loss->time_ns - loss->from_ns);
	if (loss->cpu >= 0)
		say_number(&m->text, MP_STR("cpu"), (uint64_t)loss->cpu);
	if (loss->type)
		say(&m->text, MP_STR("type"), mp_str(loss->type));
	m->losses = mp_grow(m->losses, &m->cap_losses, m->n_losses + 1, sizeof(*m->losses));
	m->losses[m->n_losses++] =
		(struct mp_cpelmap_loss){ loss->time_ns,
					  mp_cpel_text(&m->file, mp_buf_view(&m->text)) };
	m->has_losses = true;
}

/* The type of the begin or the end of a state. */
static uint32_t state_type(struct mp_cpelmap *m, struct mp_str state, bool end)
{
	struct mp_str begin = MP_STR(" begin"), after = end ? MP_STR(" end") : begin;
	struct mp_buf name = { NULL, 0, 0 };
	struct type *t;

	mp_buf_str(&name, state);
	mp_buf_str(&name, after);
	t = type_of(m, mp_buf_view(&name));
	t->rank = 3;
	if (!end && mp_str_eq(state, MP_STR("run")))
		t->rank = 1;
	if (!end && mp_str_eq(state, MP_STR("wait")))
		t->rank = 2;
	mp_buf_release(&name);
	return t->number;
}

/* Adds a span of the scheduler as the begin and the end of its state; false: it is another event. */
static bool add_state(struct mp_cpelmap *m, const struct mp_rec *rec)
{
	static const struct mp_field state_field = MP_FIELD_OF(KEY, "state"),
				     dur_field = MP_FIELD_OF(KEY, "dur");
	struct mp_str known[N_KNOWN], state, dur;
	uint64_t dur_ns;
	struct track *t;
	uint32_t says;

	if (!mp_str_eq(rec->type, MP_STR("sched:span")) || !mp_rec_get(rec, &state_field, &state) ||
	    !mp_rec_get(rec, &dur_field, &dur) || mp_num_u64(dur, &dur_ns) < 0 ||
	    dur_ns > rec->time_ns)
		return false;
	says = read_fields(m, rec, known);
	if (m->file.n_logged)
		write_losses(m, rec->time_ns);
	m->last_ns = rec->time_ns;
	t = track_of(m, rec, known);
	t->used = true;
	mp_cpel_begin(&m->file, rec->time_ns - dur_ns, t->number, state_type(m, state, false),
		      m->threads && !t->nobody ? MP_CPEL_OF_TRACK : says);
	mp_cpel_event(&m->file, rec->time_ns, t->number, state_type(m, state, true), says);
	return true;
}

void mp_cpelmap_add(struct mp_cpelmap *m, const struct mp_rec *rec)
{
	struct mp_str known[N_KNOWN];
	const struct type *type;
	uint32_t says;
	bool is_switch;
	struct track *t;

	if (add_state(m, rec))
		return;
	type = type_of(m, rec->type);
	says = read_fields(m, rec, known);
	is_switch = type->about == ABOUT_SWITCH;
	/* recorded without the context fields of the current task */
	if (is_switch && !known[TID].p && !known[PID].p) {
		known[TID] = known[PREV_PID];
		known[COMM] = known[PREV_COMM];
	}
	if (m->file.n_logged)
		write_losses(m, rec->time_ns);
	m->last_ns = rec->time_ns;
	t = track_of(m, rec, known);
	t->used = true;
	mp_cpel_event(&m->file, rec->time_ns, t->number, type->number, says);
	if (type->about != ABOUT_NOTHING && known[is_switch ? NEXT_PID : ABOUT_PID].p)
		add_about(m, rec, type, known);
}

/* --- at the end ------------------------------------------------------------------------------- */

/* Splits the first part off a key. */
static struct mp_str next_part(struct mp_str *rest)
{
	const char *tab = memchr(rest->p, '\t', rest->len);
	struct mp_str part = { rest->p, tab ? (size_t)(tab - rest->p) : rest->len };

	rest->p += part.len + !!tab;
	rest->len -= part.len + !!tab;
	return part;
}

static int by_key(const struct track *a, const struct track *b)
{
	struct mp_str rest_a = a->key, rest_b = b->key;
	int cmp = 0;

	while (!cmp && (rest_a.len || rest_b.len))
		cmp = mp_natural_cmp(next_part(&rest_a), next_part(&rest_b));
	return cmp ? cmp : mp_str_cmp(a->key, b->key);
}

static int compare_tracks(const void *va, const void *vb)
{
	return by_key(*(struct track *const *)va, *(struct track *const *)vb);
}

/* Places the threads of a process together, below it. */
static int compare_threads(const void *va, const void *vb)
{
	const struct track *a = *(struct track *const *)va, *b = *(struct track *const *)vb;
	int cmp = mp_natural_cmp(mp_buf_view(&a->pid), mp_buf_view(&b->pid));

	return cmp ? cmp : by_key(a, b);
}

static int compare_types(const void *va, const void *vb)
{
	const struct mp_map_entry *a = *(struct mp_map_entry *const *)va;
	const struct mp_map_entry *b = *(struct mp_map_entry *const *)vb;
	const struct type *x = mp_map_value(a), *y = mp_map_value(b);

	if (x->rank != y->rank && x->rank && y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (!x->rank != !y->rank)
		return x->rank ? -1 : 1;
	return mp_natural_cmp(a->key, b->key);
}

/*
 * Makes the label "comm t<tid>(<pid>)" of a thread's track: cpelatency reads the numbers around the
 * first parenthesis, and expects text before the t.
 */
static void thread_label(struct mp_buf *to, const struct track *t, struct mp_str tid)
{
	struct mp_buf ids = { NULL, 0, 0 }, name = { NULL, 0, 0 };
	size_t i;

	mp_buf_byte(&ids, ' ');
	mp_buf_byte(&ids, 't');
	mp_cpel_ascii(&ids, tid, 20, true);
	mp_buf_byte(&ids, '(');
	mp_cpel_ascii(&ids, mp_buf_view(&t->pid), 20, true);
	mp_buf_byte(&ids, ')');
	for (i = 0; i < t->comm.len; i++)
		if (t->comm.p[i] == '(')
			mp_buf_add(&name, "\\x28", 4);
		else
			mp_buf_byte(&name, t->comm.p[i]);
	mp_cpel_ascii(to, t->comm.p ? mp_buf_view(&name) : MP_STR("[no comm]"), LABEL_MAX - ids.len,
		      true);
	mp_buf_str(to, mp_buf_view(&ids));
	mp_buf_release(&ids);
	mp_buf_release(&name);
}

/*
 * Makes the label of any other track, such as "cpu 2", "nginx" or ".dev 8388608 .sector 17":
 * numbers need the name of their field, names do not.
 */
static void fields_label(struct mp_buf *to, const struct mp_cpelmap *m, const struct track *t)
{
	const struct mp_fields *fields = &m->style->track;
	struct mp_buf all = { NULL, 0, 0 };
	struct mp_str rest = t->key;
	size_t i;

	for (i = 0; i < fields->n; i++) {
		struct mp_str name = fields->v[i].name, value = next_part(&rest);

		if (i)
			mp_buf_byte(&all, ' ');
		if (fields->v[i].id != MP_FIELD_TYPE && !mp_str_eq(name, known_names[COMM]) &&
		    !(value.len && value.p[0] == '['))
			mp_buf_printf(&all, "%.*s ", MP_STR_ARGS(name));
		mp_buf_str(&all, value);
	}
	mp_cpel_ascii(to, mp_buf_view(&all), LABEL_MAX, true);
	mp_buf_release(&all);
}

static uint32_t label(struct mp_cpelmap *m, const struct track *t)
{
	m->text.len = 0;
	if (m->threads && !t->nobody)
		thread_label(&m->text, t,
			     m->processes && t->pid.len ? mp_buf_view(&t->pid) : t->tid);
	else if (m->threads)
		mp_cpel_ascii(&m->text, t->key, LABEL_MAX, true);
	else
		fields_label(&m->text, m, t);
	return mp_cpel_text(&m->file, mp_buf_view(&m->text));
}

/* The track whose name labels the track of a process: that of its first thread, if it was seen. */
static const struct track *named_by(const struct mp_cpelmap *m, const struct track *t)
{
	struct mp_str pid = mp_buf_view(&t->pid);
	const struct mp_map_entry *e =
		m->processes && !t->nobody ? mp_map_find(&m->tracks, &pid, 1) : NULL;

	return e ? mp_map_value(e) : t;
}

static bool same_process(const struct track *a, const struct track *b)
{
	return !a->nobody && !b->nobody && !mp_str_eq(a->tid, MP_STR("0")) &&
	       mp_str_eq(mp_buf_view(&a->pid), mp_buf_view(&b->pid));
}

static uint32_t pid_tid(struct mp_cpelmap *m, const struct track *t)
{
	m->text.len = 0;
	mp_buf_add(&m->text, "pid:", 4);
	mp_cpel_ascii(&m->text, mp_buf_view(&t->pid), 20, true);
	mp_buf_add(&m->text, " tid:", 5);
	mp_cpel_ascii(&m->text, t->tid, 20, true);
	return mp_cpel_text(&m->file, mp_buf_view(&m->text));
}

/* The tracks that have events to be written, in display order. */
static struct track **sort_tracks(struct mp_cpelmap *m, bool wakings, size_t *n_sorted)
{
	struct track **sorted = mp_alloc(m->tracks.n * sizeof(*sorted));
	struct mp_map_entry *e;
	size_t n = 0;

	mp_map_each (&m->tracks, e) {
		struct track *t = mp_map_value(e);

		if (!t->used && !(wakings && t->waking))
			continue;
		if (m->threads && !t->nobody && !t->pid.p)
			set(&t->pid, t->tid); /* usual, since most processes have one thread */
		sorted[n++] = t;
	}
	qsort(sorted, n, sizeof(struct track *), m->threads ? compare_threads : compare_tracks);
	*n_sorted = n;
	return sorted;
}

/* Fills the tables by number of a track. Returns the number of definitions. */
static size_t make_tracks(struct mp_cpelmap *m, struct mp_cpel_def *defs, uint32_t *ids,
			  uint32_t *datums, bool wakings)
{
	size_t i, n = 0, n_sorted;
	struct track **sorted = sort_tracks(m, wakings, &n_sorted);

	if (m->has_losses) {
		defs[n].id = n + 1;
		defs[n].text = mp_cpel_text(&m->file, MP_STR("lost events"));
		ids[TRACK_LOST] = ++n;
	}
	for (i = 0; i < n_sorted; i++) {
		const struct track *t = sorted[i];

		if (i == 0 || !m->processes || !same_process(sorted[i - 1], t)) {
			defs[n].id = n + 1;
			defs[n].text = label(m, named_by(m, t));
			n++;
		}
		ids[t->number] = n;
		datums[t->number] = m->threads && !t->nobody ? pid_tid(m, t) : 0;
	}
	free(sorted);
	return n;
}

static void define(struct mp_cpelmap *m, struct mp_cpel_def *defs, size_t *n, struct mp_str name)
{
	m->text.len = 0;
	mp_cpel_ascii(&m->text, name, SIZE_MAX, true);
	defs[*n].id = *n + 1;
	defs[*n].text = mp_cpel_text(&m->file, mp_buf_view(&m->text));
	++*n;
}

/*
 * Makes the definitions, and fills `codes`, which is indexed by the number of a type. Returns the
 * number of definitions.
 */
static size_t make_events(struct mp_cpelmap *m, struct mp_cpel_def *defs, uint32_t *codes)
{
	struct mp_map_entry **sorted = mp_alloc(m->types.n * sizeof(*sorted)), *e;
	bool scheduler = false, wakeups = false;
	size_t i, n = 0;

	mp_map_each (&m->types, e) {
		const struct type *t = mp_map_value(e);

		scheduler |= t->about != ABOUT_NOTHING;
		wakeups |= t->real_wakeup;
		sorted[n++] = e;
	}
	qsort(sorted, n, sizeof(struct mp_map_entry *), compare_types);
	n = 0;
	if (scheduler) {
		define(m, defs, &n, MP_STR("switch in"));
		codes[TYPE_SWITCHED_IN] = n;
		define(m, defs, &n, MP_STR("wakeup"));
		codes[TYPE_WOKEN] = n;
		codes[TYPE_WAKING] = wakeups ? 0 : n;
	}
	for (i = 0; i < m->types.n; i++) {
		define(m, defs, &n, sorted[i]->key);
		codes[((struct type *)mp_map_value(sorted[i]))->number] = n;
	}
	if (m->has_losses) {
		define(m, defs, &n, MP_STR("lost"));
		codes[TYPE_LOST] = n;
	}
	free(sorted);
	return n;
}

void mp_cpelmap_write(struct mp_cpelmap *m, uint32_t date_s, struct mp_out *out)
{
	size_t n_tracks = TRACK_FIRST + m->tracks.n, n_types = TYPE_FIRST + m->types.n;
	struct mp_cpel_def *tracks = mp_alloc(n_tracks * sizeof(*tracks));
	struct mp_cpel_def *events = mp_alloc(n_types * sizeof(*events));
	uint32_t *numbers = mp_zalloc((2 * n_tracks + n_types) * sizeof(*numbers));
	uint32_t *ids = numbers, *datums = numbers + n_tracks, *codes = datums + n_tracks;
	struct mp_cpel_result result = {
		.events = events,
		.tracks = tracks,
		.code = codes,
		.track = ids,
		.datum = datums,
		.date_s = date_s,
	};

	write_losses(m, UINT64_MAX);
	result.n_events = make_events(m, events, codes);
	result.n_tracks = make_tracks(m, tracks, ids, datums, codes[TYPE_WAKING] != 0);
	result.omitted = codes[TYPE_WAKING] ? 0 : m->wakings;
	mp_cpel_write(&m->file, &result, out);
	free(tracks);
	free(events);
	free(numbers);
}
