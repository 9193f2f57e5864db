// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/tracks.h"

enum {
	SPANS = 16,	/* latest spans of a lane that are known one by one */
	UNIT_BYTES = 3, /* enum Unit of Perfetto's CounterDescriptor */
};

struct span {
	uint64_t begin_ns, end_ns;
};

/* A track of nested spans: its outermost ones, in order of time. */
struct lane {
	uint64_t track; /* 0: not used */
	struct span spans[SPANS];
	size_t n;
};

struct mp_export_thread {
	uint64_t track;
	uint64_t name; /* hash of its latest name, at least 1; 0: none */
	uint32_t pid;
	bool has_pid;
	struct lane *lanes[MP_EXPORT_LANES_MAX]; /* used ones first */
};

void mp_export_tracks_init(struct mp_export_tracks *k, struct mp_export_trace *trace)
{
	*k = (struct mp_export_tracks){ .trace = trace };
	mp_intmap_init(&k->threads);
	mp_intmap_init(&k->processes);
	mp_map_init(&k->counters, sizeof(uint64_t));
}

void mp_export_tracks_release(struct mp_export_tracks *k)
{
	mp_intmap_release(&k->threads);
	mp_intmap_release(&k->processes);
	mp_map_release(&k->counters);
	mp_arena_release(&k->arena);
}

/* --- descriptions ----------------------------------------------------------------------------- */

/*
 * Describes a track. The time, if it is not 0, matters for that of a thread: Perfetto's reader
 * assigns a number that is used again to the thread that was described last.
 */
static void describe(struct mp_export_tracks *k, uint64_t time_ns, uint64_t track,
		     Perfetto__TrackDescriptor *d)
{
	Perfetto__TracePacket packet = mp_export_packet(k->trace, NULL);

	packet.has_timestamp = time_ns != 0;
	packet.timestamp = time_ns;
	d->has_uuid = true;
	d->uuid = track;
	packet.track_descriptor = d;
	mp_export_trace_write(k->trace, &packet);
}

static uint64_t new_track(struct mp_export_tracks *k, struct mp_str name, uint64_t parent,
			  Perfetto__CounterDescriptor *counter)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	uint64_t track = ++k->used;

	mp_export_texts_begin(k->trace, name.len);
	d.has_name = true;
	d.name = mp_export_text(k->trace, name);
	d.has_parent_uuid = parent != 0;
	d.parent_uuid = parent;
	d.counter = counter;
	describe(k, 0, track, &d);
	return track;
}

uint64_t mp_export_track(struct mp_export_tracks *k, struct mp_str name)
{
	return new_track(k, name, 0, NULL);
}

/* The track of a process; if `name` is not empty, it is described (again) by this name. */
static uint64_t process_track(struct mp_export_tracks *k, uint64_t time_ns, uint32_t pid,
			      struct mp_str name)
{
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	uint64_t track = mp_intmap_get(&k->processes, pid + 1ULL);

	if (track && !name.len)
		return track;
	if (!track) {
		track = ++k->used;
		mp_intmap_add(&k->processes, pid + 1ULL, track);
	}
	mp_export_texts_begin(k->trace, name.len);
	process.has_pid = true;
	process.pid = (int32_t)pid;
	process.has_process_name = name.len != 0;
	process.process_name = mp_export_text(k->trace, name);
	d.process = &process;
	describe(k, time_ns, track, &d);
	return track;
}

static void describe_thread(struct mp_export_tracks *k, const struct mp_export_thread *t,
			    const struct mp_export_context *c, struct mp_str name)
{
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;

	mp_export_texts_begin(k->trace, name.len);
	thread.has_pid = thread.has_tid = true;
	thread.pid = (int32_t)t->pid;
	thread.tid = c->tid;
	thread.has_thread_name = name.len != 0;
	thread.thread_name = mp_export_text(k->trace, name);
	d.thread = &thread;
	describe(k, c->time_ns, t->track, &d);
	if (t->pid == c->tid && name.len)
		process_track(k, c->time_ns, t->pid, name);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* A thread whose process is not known is a track of its own, not a thread to Perfetto. */
static uint64_t nameless_track(struct mp_export_tracks *k, const struct mp_export_context *c)
{
	char text[32] = "events of no thread";

	if (c->has_tid)
		snprintf(text, sizeof(text), "thread %u", c->tid);
	return new_track(k, mp_str(text), 0, NULL);
}

/* Makes the thread a new one, without spans. */
static void begin_thread(struct mp_export_tracks *k, struct mp_export_thread *t,
			 const struct mp_export_context *c)
{
	size_t i;

	t->pid = c->pid;
	t->has_pid = c->has_pid && c->has_tid;
	for (i = 0; i < MP_EXPORT_LANES_MAX && t->lanes[i]; i++)
		*t->lanes[i] = (struct lane){ 0 };
	t->track = t->has_pid ? ++k->used : nameless_track(k, c);
}

struct mp_export_thread *mp_export_thread(struct mp_export_tracks *k,
					  const struct mp_export_context *c)
{
	uint64_t number = c->has_tid ? c->tid + 1ULL : 0, hash;
	struct mp_export_thread *t = mp_intmap_pointer(&k->threads, number);
	/* the idle task has a name on each CPU */
	struct mp_str name = c->has_tid && !c->tid ? MP_STR("swapper") : c->comm;
	bool fresh = !t || (c->has_pid && c->has_tid && (!t->has_pid || t->pid != c->pid));

	if (!t) {
		t = mp_arena_alloc(&k->arena, sizeof(*t));
		*t = (struct mp_export_thread){ 0 };
		mp_intmap_add_pointer(&k->threads, number, t);
	}
	if (fresh)
		begin_thread(k, t, c);
	if (!t->has_pid || (!fresh && !name.p))
		return t;
	hash = name.p ? mp_hash(name.p, name.len, 0) | 1 : 0;
	if (fresh || hash != t->name)
		describe_thread(k, t, c, name.p ? name : MP_STR(""));
	t->name = hash;
	return t;
}

uint64_t mp_export_thread_track(const struct mp_export_thread *thread)
{
	return thread->track;
}

/* --- spans ------------------------------------------------------------------------------------ */

/* Whether the new span may be on the track of the old one, which was written before it. */
static bool is_apart(const struct span *old, uint64_t begin_ns, uint64_t end_ns)
{
	if (old->end_ns <= begin_ns)
		return true;
	if (old->begin_ns == begin_ns)
		return old->end_ns == end_ns;
	return old->begin_ns > begin_ns && old->end_ns <= end_ns;
}

/* Makes one of the two neighbours with the least time between them. */
static void join_spans(struct lane *l)
{
	size_t i, at = 0;

	for (i = 1; i + 1 < l->n; i++)
		if (l->spans[i + 1].begin_ns - l->spans[i].end_ns <
		    l->spans[at + 1].begin_ns - l->spans[at].end_ns)
			at = i;
	l->spans[at].end_ns = l->spans[at + 1].end_ns;
	memmove(&l->spans[at + 1], &l->spans[at + 2], (l->n - at - 2) * sizeof(*l->spans));
	l->n--;
}

/* Adds a span to a lane, unless it overlaps one there. */
static bool add_span(struct lane *l, uint64_t begin_ns, uint64_t end_ns)
{
	size_t n = l->n;

	/* spans that the new one contains are not outermost any more */
	while (n && l->spans[n - 1].end_ns > begin_ns) {
		if (!is_apart(&l->spans[n - 1], begin_ns, end_ns))
			return false;
		n--;
	}
	l->n = n;
	if (n == SPANS)
		join_spans(l);
	l->spans[l->n++] = (struct span){ begin_ns, end_ns };
	return true;
}

uint64_t mp_export_span_track(struct mp_export_tracks *k, struct mp_export_thread *thread,
			      uint64_t begin_ns, uint64_t end_ns)
{
	struct lane **l;
	size_t i;

	for (i = 0; i < MP_EXPORT_LANES_MAX; i++) {
		l = &thread->lanes[i];
		if (!*l) {
			*l = mp_arena_alloc(&k->arena, sizeof(**l));
			**l = (struct lane){ 0 };
		}
		if (!(*l)->track)
			(*l)->track =
				i ? new_track(k, MP_STR("overlapping spans"), thread->track, NULL)
				  : thread->track;
		if (add_span(*l, begin_ns, end_ns))
			return (*l)->track;
	}
	return 0;
}

/* --- counters --------------------------------------------------------------------------------- */

/* The track of which a counter is a part; 0: of none. Its name gets what else it belongs to. */
static uint64_t parent_of(struct mp_export_tracks *k, const struct mp_export_context *c,
			  struct mp_buf *name)
{
	if (c->cgroup.p) {
		mp_buf_byte(name, ' ');
		mp_buf_str(name, c->cgroup);
		return 0;
	}
	if (c->has_pid && c->has_tid && c->pid != c->tid)
		return mp_export_thread(k, c)->track;
	if (c->has_pid)
		return process_track(k, c->time_ns, c->pid, MP_STR(""));
	if (c->has_cpu)
		mp_buf_printf(name, " CPU %u", c->cpu);
	return 0;
}

uint64_t mp_export_counter_track(struct mp_export_tracks *k, const struct mp_export_context *c,
				 struct mp_str type)
{
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	struct mp_buf name = { NULL, 0, 0 };
	struct mp_str parts[2];
	uint64_t *track, parent;
	char of[24];
	bool fresh;

	mp_buf_str(&name, type);
	parent = parent_of(k, c, &name);
	snprintf(of, sizeof(of), "%llu", (unsigned long long)parent);
	parts[0] = mp_str(of);
	parts[1] = mp_buf_view(&name);
	track = mp_map_value(mp_map_put(&k->counters, parts, MP_ARRAY_SIZE(parts), &fresh));
	if (fresh) {
		counter.has_unit = mp_str_starts(type, MP_STR("mem:"));
		counter.unit = UNIT_BYTES;
		*track = new_track(k, parts[1], parent, &counter);
	}
	mp_buf_release(&name);
	return *track;
}
