// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto: a trace of Perfetto (https://perfetto.dev/docs/reference/trace-packet-proto), packet by
 * packet in one pass. Its reader sorts by time, so a span is written where the stream has its end.
 */
#include "lib/export/perfetto.h"

#include <stdlib.h>

#include "lib/export/tracks.h"
#include "lib/stream/arrow.h"
#include "lib/stream/named.h"

/* of Perfetto: enum BuiltinClock, TrackEvent.Type, and the most CPUs that its reader accepts */
enum { CLOCK_OF_REALTIME = 1, CLOCK_OF_MONOTONIC = 3, CLOCK_OF_BOOTTIME = 6 };
enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { CPUS_MAX = 1024 };
/* states of a task; of 9 bits the reader knows the meaning */
enum { STATE_PREEMPTED = 0x100, STATE_UNKNOWN = 0x8000 };

/* What is known of a type of events. */
struct type {
	const ProtobufCFieldDescriptor *ftrace; /* where FtraceEvent has it; NULL: nowhere */
	uint32_t required;			/* bits of the fields that it must have */
	const struct mp_arrow_rule *rule;
	struct mp_field counter; /* name.p == NULL: not a counter */
	struct mp_export_sequence samples;
	uint64_t number; /* from 1 */
};

struct state {
	struct mp_export *ex;
	struct mp_export_trace trace;
	struct mp_export_tracks tracks;
	struct mp_export_sequence events;
	struct mp_map types;
	struct mp_map_entry *last_type;
	struct mp_intmap sums;	/* type and CPU -> sum of the periods + 1 */
	struct mp_intmap woken; /* thread that was woken -> 1, until its next switch */
	struct mp_arrow_pairs pairs;
	struct mp_fields rows;
	uint32_t arrows;
	uint64_t lost_track;
	Perfetto__DebugAnnotation *args;
	Perfetto__DebugAnnotation **arg_pointers;
	size_t n_args, args_cap, pointers_cap;
};

/* An event: its context, and fields that have a meaning of their own. */
struct event {
	const struct mp_rec *rec;
	struct type *type;
	struct mp_export_context context;
	struct mp_str stack, dur, period;
	uint64_t dur_ns;
	bool payload; /* it has fields of its own */
	bool arrow;   /* it has fields of another thread */
};

/* --- types ------------------------------------------------------------------------------------ */

static const ProtobufCMessageDescriptor *body_of(const ProtobufCFieldDescriptor *ftrace)
{
	return ftrace->descriptor;
}

/* The field of FtraceEvent with the name of a tracepoint of the scheduler. */
static const ProtobufCFieldDescriptor *ftrace_of(struct mp_str type)
{
	const ProtobufCFieldDescriptor *f;
	char name[64];

	if (!mp_str_starts(type, MP_STR("sched:")) || type.len - 6 >= sizeof(name))
		return NULL;
	memcpy(name, type.p + 6, type.len - 6);
	name[type.len - 6] = '\0';
	f = protobuf_c_message_descriptor_get_field_by_name(&perfetto__ftrace_event__descriptor,
							    name);
	return f && f->type == PROTOBUF_C_TYPE_MESSAGE ? f : NULL;
}

/* The threads that an event of the scheduler is about must be known. */
static uint32_t required_of(const ProtobufCMessageDescriptor *body)
{
	uint32_t required = 0;
	unsigned i;

	for (i = 0; i < body->n_fields; i++)
		if (mp_str_ends(mp_str(body->fields[i].name), MP_STR("pid")))
			required |= 1u << i;
	return required;
}

static struct type *type_of(struct state *s, struct mp_str name)
{
	struct type *type;
	bool fresh;

	if (s->last_type && mp_str_eq(s->last_type->key, name))
		return mp_map_value(s->last_type);
	s->last_type = mp_map_put(&s->types, &name, 1, &fresh);
	type = mp_map_value(s->last_type);
	if (fresh) {
		type->number = s->types.n;
		type->ftrace = ftrace_of(name);
		if (type->ftrace)
			type->required = required_of(body_of(type->ftrace));
		type->rule = mp_arrow_rule(name);
		type->counter = mp_field_counter(name);
	}
	return type;
}

/* --- the beginning ---------------------------------------------------------------------------- */

static uint32_t clock_of(const char *name)
{
	if (name && strcmp(name, "monotonic") == 0)
		return CLOCK_OF_MONOTONIC;
	if (name && strcmp(name, "realtime") == 0)
		return CLOCK_OF_REALTIME;
	return CLOCK_OF_BOOTTIME;
}

/*
 * Times of ftrace are always on CLOCK_BOOTTIME, which the stream does not have: the snapshot makes
 * it the clock of the stream.
 */
static void write_clocks(struct state *s, const struct mp_ctl *header)
{
	Perfetto__ClockSnapshot__Clock clocks[3], *pointers[3];
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint32_t ids[3] = { CLOCK_OF_BOOTTIME };
	size_t i, n = 1;

	if (s->trace.clock != CLOCK_OF_BOOTTIME)
		ids[n++] = s->trace.clock;
	if (header && header->has_anchor && s->trace.clock != CLOCK_OF_REALTIME)
		ids[n++] = CLOCK_OF_REALTIME;
	for (i = 0; i < n; i++) {
		pointers[i] = &clocks[i];
		clocks[i] = (Perfetto__ClockSnapshot__Clock)PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		if (header && header->has_anchor)
			clocks[i].timestamp = ids[i] == CLOCK_OF_REALTIME ? header->realtime_ns
									  : header->clock_ns;
	}
	if (s->trace.clock == CLOCK_OF_REALTIME)
		clocks[0].timestamp = clocks[1].timestamp;
	snapshot.n_clocks = n;
	snapshot.clocks = pointers;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = s->trace.clock;
	packet.clock_snapshot = &snapshot;
	mp_export_trace_write(&s->trace, &packet);
}

static ProtobufCBinaryData binary(const char *text)
{
	return (ProtobufCBinaryData){ strlen(text), (uint8_t *)text };
}

/* The version of the kernel says what the bits of .prev_state mean, which changed in 4.14. */
static void write_system(struct state *s, json_t *header)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__SystemInfo system = PERFETTO__SYSTEM_INFO__INIT;
	Perfetto__Utsname names = PERFETTO__UTSNAME__INIT;
	const char *release = json_string_value(json_object_get(header, "kernel"));
	const char *machine = json_string_value(json_object_get(header, "machine"));

	names.has_sysname = names.has_release = true;
	names.sysname = binary("Linux");
	names.release = binary(release ? release : "4.15 or later (not recorded)");
	names.has_machine = machine != NULL;
	names.machine = binary(machine ? machine : "");
	system.utsname = &names;
	packet.system_info = &system;
	mp_export_trace_write(&s->trace, &packet);
}

/* `header` is the first one of a section of events; NULL: there is none before the first event. */
static void begin(struct state *s, const struct mp_ctl *header)
{
	json_t *json = header ? header->json : NULL;

	if (s->ex->begun)
		return;
	s->ex->begun = true;
	s->trace.clock = clock_of(json_string_value(json_object_get(json, "clock")));
	write_clocks(s, header);
	write_system(s, json);
	mp_export_sequence_begin(&s->trace, &s->events, (struct mp_str){ NULL, 0 });
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool number_of(struct mp_str value, uint32_t *to)
{
	uint64_t v;

	if (mp_num_u64(value, &v) < 0 || v > INT32_MAX)
		return false;
	*to = (uint32_t)v;
	return true;
}

/* Handles a field of the context that is not an argument. Returns false if it is another. */
static bool take_context(struct event *e, struct mp_str key, struct mp_str value)
{
	struct mp_export_context *c = &e->context;

	if (mp_str_eq(key, MP_STR("pid")))
		c->has_pid = number_of(value, &c->pid);
	else if (mp_str_eq(key, MP_STR("tid")))
		c->has_tid = number_of(value, &c->tid);
	else if (mp_str_eq(key, MP_STR("comm")))
		c->comm = value;
	else if (mp_str_eq(key, MP_STR("stack")))
		e->stack = value;
	else if (mp_str_eq(key, MP_STR("dur")))
		e->dur = value;
	else
		return false;
	return true;
}

/* Handles a field of the context that is an argument as well. */
static void note_context(struct event *e, struct mp_str key, struct mp_str value)
{
	struct mp_export_context *c = &e->context;

	if (mp_str_eq(key, MP_STR("cpu")))
		c->has_cpu = number_of(value, &c->cpu);
	else if (mp_str_eq(key, MP_STR("period")))
		e->period = value;
	else if (mp_str_eq(key, MP_STR("cgroup")))
		c->cgroup = value;
	else if (mp_str_ends(key, MP_STR("_tid")))
		e->arrow = true;
}

static struct event event_of(const struct mp_rec *rec, struct type *type)
{
	return (struct event){ .rec = rec, .type = type, .context = { .time_ns = rec->time_ns } };
}

static void add_arg(struct state *s, struct mp_str key, struct mp_str value)
{
	Perfetto__DebugAnnotation *arg;

	s->args = mp_grow(s->args, &s->args_cap, s->n_args + 1, sizeof(*s->args));
	arg = &s->args[s->n_args++];
	*arg = (Perfetto__DebugAnnotation)PERFETTO__DEBUG_ANNOTATION__INIT;
	arg->has_name_iid = true;
	arg->name_iid = mp_export_key(&s->trace, &s->events, key);
	arg->has_int_value = mp_export_whole(value, &arg->int_value);
	if (arg->has_int_value)
		return;
	arg->has_string_value = true;
	arg->string_value = (ProtobufCBinaryData){ value.len, (uint8_t *)value.p };
}

/* The texts of the arguments, after the last of their keys is written. */
static void decode_args(struct state *s, size_t len)
{
	size_t i;

	mp_export_texts_begin(&s->trace, len);
	s->arg_pointers =
		mp_grow(s->arg_pointers, &s->pointers_cap, s->n_args + 1, sizeof(*s->arg_pointers));
	for (i = 0; i < s->n_args; i++) {
		Perfetto__DebugAnnotation *arg = &s->args[i];

		s->arg_pointers[i] = arg;
		if (arg->has_string_value)
			arg->string_value = mp_export_text(
				&s->trace, (struct mp_str){ (const char *)arg->string_value.data,
							    arg->string_value.len });
	}
}

/* Parses the fields of an event of any type; what is not of the context becomes arguments. */
static struct event parse(struct state *s, const struct mp_rec *rec, struct type *type)
{
	struct event e = event_of(rec, type);
	struct mp_str rest = rec->body, key, value;

	s->n_args = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (*key.p == '.')
			e.payload = true;
		else if (take_context(&e, key, value))
			continue;
		else
			note_context(&e, key, value);
		add_arg(s, key, value);
	}
	if (!e.dur.p || mp_num_u64(e.dur, &e.dur_ns) < 0 || e.dur_ns > rec->time_ns) {
		e.dur = (struct mp_str){ NULL, 0 };
		e.dur_ns = 0;
	}
	return e;
}

/* --- events of the scheduler ------------------------------------------------------------------ */

union body {
	ProtobufCMessage base;
	Perfetto__SchedSwitch sched_switch;
	Perfetto__SchedWakeup wakeup;
	Perfetto__SchedProcessExit exit;
	Perfetto__SchedProcessFork fork;
	Perfetto__SchedMigrateTask migrate;
};

/*
 * The bits of .prev_state of Linux 4.14 and later. Text of perf and ftrace has letters, as "S",
 * "D|K" or "R+" (preempted).
 */
static int64_t state_of(struct mp_str text)
{
	static const char letters[] = "SDTtXZPI";
	const char *at;
	int64_t v;

	if (mp_num_any(mp_named_number(text), &v) == 0)
		return v;
	at = text.len ? memchr(letters, text.p[0], sizeof(letters) - 1) : NULL;
	if (!at && (!text.len || text.p[0] != 'R'))
		return STATE_UNKNOWN;
	v = at ? 1 << (at - letters) : 0;
	return text.p[text.len - 1] == '+' ? v | STATE_PREEMPTED : v;
}

/* Sets a field of the body. Returns false if the value is not of its type. */
static bool set_field(struct state *s, union body *body, const ProtobufCFieldDescriptor *f,
		      struct mp_str value)
{
	protobuf_c_boolean *has = (void *)((char *)body + f->quantifier_offset);
	char *member = (char *)body + f->offset;
	int64_t v;

	if (f->type == PROTOBUF_C_TYPE_BYTES)
		*(ProtobufCBinaryData *)member = mp_export_text(&s->trace, value);
	else if (f->type == PROTOBUF_C_TYPE_INT64) /* only .prev_state is */
		*(int64_t *)member = state_of(value);
	else if (mp_num_i64(mp_named_number(value), &v) < 0)
		return false;
	else if (v < INT32_MIN || v > INT32_MAX)
		return false;
	else
		*(int32_t *)member = (int32_t)v;
	*has = true;
	return true;
}

/* The field of the body with this name, most often the next one. */
static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessageDescriptor *d, unsigned next,
						struct mp_str name)
{
	unsigned i, at;

	for (i = 0; i < d->n_fields; i++) {
		at = (next + i) % d->n_fields;
		if (mp_str_eq(mp_str(d->fields[at].name), name))
			return &d->fields[at];
	}
	return NULL;
}

/* Parses the fields. Returns false if those that Perfetto needs are missing. */
static bool parse_ftrace(struct state *s, struct event *e, union body *body)
{
	const ProtobufCMessageDescriptor *d = body_of(e->type->ftrace);
	struct mp_str rest = e->rec->body, key, value;
	const ProtobufCFieldDescriptor *f;
	uint32_t found = 0;
	unsigned next = 0;

	d->message_init(&body->base);
	mp_export_texts_begin(&s->trace, e->rec->body.len);
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (*key.p != '.') {
			if (!take_context(e, key, value))
				note_context(e, key, value);
			continue;
		}
		f = field_of(d, next, mp_str_skip(key, 1));
		if (!f)
			continue;
		if (!set_field(s, body, f, value))
			return false;
		next = (unsigned)(f - d->fields);
		found |= 1u << next++;
	}
	return e->context.has_cpu && e->context.cpu < CPUS_MAX &&
	       (found & e->type->required) == e->type->required;
}

static void write_ftrace(struct state *s, const struct event *e, size_t offset, union body *body)
{
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__FtraceEvent event = PERFETTO__FTRACE_EVENT__INIT, *one = &event;

	event.has_timestamp = true;
	event.timestamp = e->context.time_ns;
	event.has_pid = e->context.has_tid;
	event.pid = e->context.tid;
	*(void **)((char *)&event + offset) = body;
	bundle.has_cpu = true;
	bundle.cpu = e->context.cpu;
	bundle.n_event = 1;
	bundle.event = &one;
	packet.ftrace_events = &bundle;
	mp_export_trace_write(&s->trace, &packet);
}

static void forget_wakeup(struct state *s, int32_t tid)
{
	struct mp_intmap_entry *woken = mp_intmap_find(&s->woken, (uint32_t)tid);

	if (woken->value)
		mp_intmap_remove(&s->woken, woken);
}

/*
 * Perfetto's reader takes states and wakers from sched_waking alone: where the stream has only the
 * sched_wakeup that follows it, this is written as one, too.
 */
static void note_wakeup(struct state *s, const struct event *e, union body *body)
{
	size_t offset = e->type->ftrace->offset;
	struct mp_intmap_entry *woken;

	if (offset == offsetof(Perfetto__FtraceEvent, sched_switch)) {
		forget_wakeup(s, body->sched_switch.prev_pid);
		forget_wakeup(s, body->sched_switch.next_pid);
	} else if (body_of(e->type->ftrace) == &perfetto__sched_wakeup__descriptor) {
		woken = mp_intmap_find(&s->woken, (uint32_t)body->wakeup.pid);
		if (woken->value)
			return;
		mp_intmap_add(&s->woken, (uint32_t)body->wakeup.pid, 1);
		if (offset != offsetof(Perfetto__FtraceEvent, sched_waking))
			write_ftrace(s, e, offsetof(Perfetto__FtraceEvent, sched_waking), body);
	}
}

/* --- samples ---------------------------------------------------------------------------------- */

/* The sum of the periods of this type on the CPU of the event. */
static uint64_t add_period(struct state *s, const struct event *e)
{
	uint64_t key = e->type->number << 32 | (e->context.has_cpu ? e->context.cpu : UINT32_MAX);
	struct mp_intmap_entry *sum = mp_intmap_find(&s->sums, key);
	uint64_t period;

	if (!e->period.p || mp_num_u64(e->period, &period) < 0)
		period = 1;
	if (!sum->value) {
		mp_intmap_add(&s->sums, key, 1);
		sum = mp_intmap_find(&s->sums, key);
	}
	if (__builtin_add_overflow(sum->value, period, &sum->value))
		sum->value = UINT64_MAX;
	return sum->value - 1;
}

static int write_sample(struct state *s, struct event *e, const char **why)
{
	const struct mp_export_context *c = &e->context;
	struct mp_export_sequence *samples = &e->type->samples;
	Perfetto__PerfSample sample = PERFETTO__PERF_SAMPLE__INIT;
	Perfetto__TracePacket packet;

	if (!samples->id)
		mp_export_sequence_begin(&s->trace, samples, e->rec->type);
	if (mp_export_stack(&s->trace, samples, e->rec, e->stack, &sample.callstack_iid, why) < 0)
		return -1;
	sample.has_callstack_iid = sample.callstack_iid != 0;
	sample.has_cpu = c->has_cpu && c->cpu < CPUS_MAX;
	sample.cpu = c->cpu;
	sample.has_pid = c->has_pid;
	sample.pid = c->pid;
	sample.has_tid = c->has_tid;
	sample.tid = c->tid;
	sample.has_timebase_count = true;
	sample.timebase_count = add_period(s, e);
	packet = mp_export_packet(&s->trace, samples);
	packet.has_timestamp = true;
	packet.timestamp = c->time_ns;
	packet.perf_sample = &sample;
	mp_export_trace_write(&s->trace, &packet);
	return 0;
}

/* --- track events ----------------------------------------------------------------------------- */

static void write_track_event(struct state *s, uint64_t time_ns, uint32_t kind, uint64_t track,
			      Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = mp_export_packet(&s->trace, &s->events);

	event->has_type = event->has_track_uuid = true;
	event->type = kind;
	event->track_uuid = track;
	packet.has_timestamp = true;
	packet.timestamp = time_ns;
	packet.track_event = event;
	mp_export_trace_write(&s->trace, &packet);
}

/* Writes the value of a counter. Returns false if the event has none. */
static bool write_counter(struct state *s, const struct event *e)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	double v;

	if (!e->type->counter.name.p || mp_rec_number(e->rec, &e->type->counter, &v) < 1)
		return false;
	event.has_double_counter_value = true;
	event.double_counter_value = v;
	write_track_event(s, e->context.time_ns, COUNTER,
			  mp_export_counter_track(&s->tracks, &e->context, e->rec->type), &event);
	return true;
}

/* The arrows of an event: numbers of flows that its packet begins and ends; 0: none. */
struct flows {
	uint64_t begins, ends;
	bool has_far; /* the other end is an instant that this event describes */
	struct mp_arrow_end far;
};

static struct flows flows_of(struct state *s, const struct event *e)
{
	uint64_t begin_ns = e->context.time_ns - e->dur_ns;
	const struct mp_arrow_rule *rule = e->type->rule;
	const struct mp_arrow_begun *begun = NULL;
	struct flows flows = { 0 };

	if (!rule && !e->arrow)
		return flows;
	s->arrows++;
	if (rule)
		begun = mp_arrow_pair(&s->pairs, rule, e->rec, s->arrows);
	if (begun)
		flows.ends = begun->row;
	else if (rule && mp_arrow_begins(rule))
		flows.begins = s->arrows;
	else
		flows.has_far = mp_arrow_read(rule, e->rec, &s->rows, begin_ns, &flows.far);
	if (flows.has_far && flows.far.leads) {
		flows.begins = s->arrows;
	} else if (flows.has_far) {
		flows.ends = s->arrows;
		/* the reader draws an arrow from what is earlier */
		flows.far.time_ns = MP_MIN(flows.far.time_ns, begin_ns);
	}
	return flows;
}

/*
 * Writes the other end of an arrow, an instant of its thread: the begin of the arrow before the
 * packet of the event, the end after it, since they may have the same time.
 */
static void write_far_end(struct state *s, struct flows *flows, bool leads)
{
	struct mp_export_context there = { .time_ns = flows->far.time_ns };
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct mp_export_thread *thread;

	if (!flows->has_far || flows->far.leads != leads)
		return;
	there.has_tid = number_of(flows->far.row[0], &there.tid);
	thread = mp_export_thread(&s->tracks, &there);
	event.has_name_iid = true;
	event.name_iid = mp_export_name(&s->trace, &s->events, MP_STR("arrow"));
	event.n_terminating_flow_ids = leads;
	event.terminating_flow_ids = &flows->begins;
	event.n_flow_ids = !leads;
	event.flow_ids = &flows->ends;
	write_track_event(s, there.time_ns, INSTANT, mp_export_thread_track(thread), &event);
}

/* Writes a span or an instant. */
static int write_event(struct state *s, struct event *e, const char **why)
{
	uint64_t begin_ns = e->context.time_ns - e->dur_ns, track = 0;
	struct mp_export_thread *thread = mp_export_thread(&s->tracks, &e->context);
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
	struct flows flows;

	if (mp_export_stack(&s->trace, &s->events, e->rec, e->stack, &event.callstack_iid, why) < 0)
		return -1;
	flows = flows_of(s, e);
	write_far_end(s, &flows, false);
	if (e->dur.p) {
		track = mp_export_span_track(&s->tracks, thread, begin_ns, e->context.time_ns);
		if (!track) {
			s->ex->overlapping++;
			add_arg(s, MP_STR("dur"), e->dur);
		}
	}
	event.has_callstack_iid = event.callstack_iid != 0;
	event.has_name_iid = true;
	event.name_iid = mp_export_name(&s->trace, &s->events, e->rec->type);
	event.n_flow_ids = flows.begins != 0;
	event.flow_ids = &flows.begins;
	event.n_terminating_flow_ids = flows.ends != 0;
	event.terminating_flow_ids = &flows.ends;
	decode_args(s, e->rec->body.len);
	event.n_debug_annotations = s->n_args;
	event.debug_annotations = s->arg_pointers;
	if (track) {
		write_track_event(s, begin_ns, BEGIN, track, &event);
		write_track_event(s, e->context.time_ns, END, track, &end);
	} else {
		write_track_event(s, e->context.time_ns, INSTANT, mp_export_thread_track(thread),
				  &event);
	}
	write_far_end(s, &flows, true);
	return 0;
}

/* --- input ------------------------------------------------------------------------------------ */

/* Returns 1 if the event was written as one of ftrace, 0, or -1 with `*why`. */
static int handle_ftrace(struct state *s, const struct mp_rec *rec, struct type *type,
			 const char **why)
{
	struct event e = event_of(rec, type);
	union body body;

	if (!parse_ftrace(s, &e, &body))
		return 0;
	write_ftrace(s, &e, type->ftrace->offset, &body);
	note_wakeup(s, &e, &body);
	mp_export_thread(&s->tracks, &e.context);
	if (e.stack.p && write_sample(s, &e, why) < 0)
		return -1;
	return 1;
}

static int handle_event(struct state *s, const struct mp_rec *rec, const char **why)
{
	struct type *type = type_of(s, rec->type);
	struct event e;
	int done;

	done = type->ftrace ? handle_ftrace(s, rec, type, why) : 0;
	if (done)
		return MP_MIN(done, 0);
	e = parse(s, rec, type);
	if (write_counter(s, &e))
		return 0;
	if (!e.dur.p && !e.payload && (e.stack.p || e.period.p)) {
		mp_export_thread(&s->tracks, &e.context);
		return write_sample(s, &e, why);
	}
	return write_event(s, &e, why);
}

/* Says to the reader that a CPU lost events of the scheduler. */
static void write_lost_ftrace(struct state *s, const struct mp_ctl *ctl)
{
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	if (ctl->cpu < 0 || ctl->cpu >= CPUS_MAX || (ctl->type && !ftrace_of(mp_str(ctl->type))))
		return;
	bundle.has_cpu = bundle.has_lost_events = bundle.lost_events = true;
	bundle.cpu = (uint32_t)ctl->cpu;
	packet.ftrace_events = &bundle;
	mp_export_trace_write(&s->trace, &packet);
}

/* Lost events: an instant on a track of its own. */
static void handle_lost(struct state *s, const struct mp_ctl *ctl)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	char lost[MP_NUM_MAX], cpu[MP_NUM_MAX];
	struct mp_str type = ctl->type ? mp_str(ctl->type) : MP_STR("");

	write_lost_ftrace(s, ctl);
	if (!s->lost_track)
		s->lost_track = mp_export_track(&s->tracks, MP_STR("lost events"));
	s->n_args = 0;
	add_arg(s, MP_STR("lost"), (struct mp_str){ lost, mp_put_u64(lost, ctl->lost) - lost });
	if (ctl->cpu >= 0)
		add_arg(s, MP_STR("cpu"),
			(struct mp_str){ cpu, mp_put_u64(cpu, (uint64_t)ctl->cpu) - cpu });
	if (ctl->type)
		add_arg(s, MP_STR("type"), type);
	event.has_name_iid = true;
	event.name_iid = mp_export_name(&s->trace, &s->events, MP_STR("lost events"));
	decode_args(s, type.len);
	event.n_debug_annotations = s->n_args;
	event.debug_annotations = s->arg_pointers;
	write_track_event(s, ctl->time_ns, INSTANT, s->lost_track, &event);
}

static void handle_control(struct state *s, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_EVENT)
		begin(s, ctl);
	if (!mp_export_lost(s->ex))
		return;
	begin(s, NULL);
	handle_lost(s, ctl);
}

static void release(struct state *s)
{
	mp_map_release(&s->types);
	mp_intmap_release(&s->sums);
	mp_intmap_release(&s->woken);
	mp_arrow_pairs_release(&s->pairs);
	mp_export_tracks_release(&s->tracks);
	mp_export_trace_release(&s->trace);
	free(s->args);
	free(s->arg_pointers);
}

void mp_export_perfetto(struct mp_export *ex)
{
	static struct mp_field tid = MP_FIELD_OF(KEY, "tid");
	struct state s = { .ex = ex, .rows = { &tid, 1, 1 } };
	const char *why;
	struct mp_rec rec;

	mp_map_init(&s.types, sizeof(struct type));
	mp_intmap_init(&s.sums);
	mp_intmap_init(&s.woken);
	mp_export_trace_init(&s.trace, ex);
	mp_export_tracks_init(&s.tracks, &s.trace);
	ex->reader.choice.by.n = 0; /* stacks are those of the events */
	ex->in.places = true;
	while (mp_export_next(ex, &rec)) {
		if (rec.kind != MP_EVENT) {
			handle_control(&s, &ex->in.ctl);
			continue;
		}
		begin(&s, NULL);
		if (handle_event(&s, &rec, &why) < 0)
			mp_input_bad(&ex->in, why);
	}
	release(&s);
}
