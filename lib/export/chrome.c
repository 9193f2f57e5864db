// SPDX-License-Identifier: GPL-2.0-only
/*
 * chrome: the Trace Event Format (Google, "Trace Event Format", 2016), which chrome://tracing,
 * Perfetto and Speedscope read. One pass; only the distinct stacks wait for the end, where
 * stackFrames lists them.
 */
#include "lib/export/chrome.h"

#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/tree/tree.h"

#define OPENING "{\"traceEvents\":[\n"

/* the process to which the tracks of CPUs belong: above the largest pid, which is 2^22 */
#define CPUS "4194305"

enum { RECENT_STACKS = 4096 };

struct state {
	struct mp_export *ex;
	struct mp_buf line;
	struct mp_buf args;
	struct mp_intmap cpus;	 /* number of a CPU -> time of its latest switch + 1 */
	struct mp_intmap names;	 /* tid -> hash of its latest name, at least 1 */
	struct mp_intmap wakers; /* tid that was woken -> id of the flow */
	bool any_cpu;		 /* there is a track of a CPU */
	uint64_t flows;
	struct mp_tree tree;
	uint32_t node; /* of the current stack; 0: none */
	/* the latest stacks: hashes of their texts, and nodes */
	struct {
		uint64_t hash;
		uint32_t node;
	} * recent;
};

/* The fields of an event that have a meaning of their own here. */
struct event {
	const struct mp_rec *rec;
	struct mp_str cpu, pid, tid, comm, dur, stack;
	struct mp_str prev_pid, prev_comm, next_pid, next_comm, woken;
	uint64_t cpu_value, dur_ns;
};

static void set(struct mp_intmap *m, uint64_t key, uint64_t value)
{
	struct mp_intmap_entry *e = mp_intmap_find(m, key);

	if (e->value)
		e->value = value;
	else
		mp_intmap_add(m, key, value);
}

/* Whether JSON has the text as a number: -?(0|[1-9][0-9]*)(.[0-9]+)? */
static bool is_number(struct mp_str s)
{
	size_t i = 0, digits;

	if (s.len && *s.p == '-')
		i++;
	digits = i;
	while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i == digits || (s.p[digits] == '0' && i > digits + 1))
		return false;
	if (i == s.len)
		return true;
	if (s.p[i++] != '.' || i == s.len)
		return false;
	while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i == s.len;
}

static void add_value(struct mp_buf *to, struct mp_str value)
{
	if (value.len && value.len < 17 && is_number(value))
		mp_buf_str(to, value);
	else
		mp_export_json(to, value);
}

static void add_key(struct mp_buf *to, struct mp_str key)
{
	if (to->len)
		mp_buf_byte(to, ',');
	mp_export_json(to, key);
	mp_buf_byte(to, ':');
}

/* Where a field is kept besides the arguments; NULL: only there. */
static struct mp_str *place_of(struct event *e, struct mp_str key)
{
	static const struct {
		struct mp_str key;
		size_t offset;
	} places[] = {
#define PLACE(key, member) { { key, sizeof(key) - 1 }, offsetof(struct event, member) }
		PLACE("cpu", cpu),
		PLACE("pid", pid),
		PLACE("tid", tid),
		PLACE("comm", comm),
		PLACE("dur", dur),
		PLACE("stack", stack),
		PLACE(".prev_pid", prev_pid),
		PLACE(".prev_comm", prev_comm),
		PLACE(".next_pid", next_pid),
		PLACE(".next_comm", next_comm),
		PLACE(".pid", woken),
#undef PLACE
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(places); i++)
		if (mp_str_eq(places[i].key, key))
			return (struct mp_str *)((char *)e + places[i].offset);
	return NULL;
}

/* Parses the fields; those of the payload and unknown ones become arguments. */
static void parse(struct state *s, const struct mp_rec *rec, struct event *e)
{
	struct mp_str rest = rec->body, key, value, *place;

	*e = (struct event){ .rec = rec };
	s->args.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		place = place_of(e, key);
		if (place)
			*place = value;
		if (place && *key.p != '.' && place != &e->cpu)
			continue;
		add_key(&s->args, key);
		add_value(&s->args, value);
	}
	if (!e->cpu.p || !is_number(e->cpu) || mp_num_u64(e->cpu, &e->cpu_value) < 0)
		e->cpu = (struct mp_str){ NULL, 0 };
	if (!e->dur.p || mp_num_u64(e->dur, &e->dur_ns) < 0 || e->dur_ns > rec->time_ns)
		e->dur = (struct mp_str){ NULL, 0 };
}

static void add_u64(struct mp_buf *to, uint64_t v)
{
	char number[MP_NUM_MAX];

	mp_buf_add(to, number, mp_put_u64(number, v) - number);
}

/* A time or a duration, in us with a fraction. */
static void add_us(struct mp_buf *to, const char *key, uint64_t ns)
{
	unsigned rest = ns % 1000;
	char fraction[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			    (char)('0' + rest % 10) };

	mp_buf_str(to, mp_str(key));
	add_u64(to, ns / 1000);
	mp_buf_add(to, fraction, sizeof(fraction));
}

/* The number of a process or a thread; 0 if the text is none. */
static void add_id(struct mp_buf *to, struct mp_str id)
{
	uint64_t v;

	mp_buf_str(to, id.p && is_number(id) && mp_num_u64(id, &v) == 0 ? id : MP_STR("0"));
}

static void add_thread(struct mp_buf *to, struct mp_str pid, struct mp_str tid)
{
	mp_buf_add(to, ",\"pid\":", 7);
	add_id(to, pid);
	mp_buf_add(to, ",\"tid\":", 7);
	add_id(to, tid);
}

/* Begins an event: its name and its phase. */
static struct mp_buf *begin(struct state *s, struct mp_str name, char phase)
{
	struct mp_buf *to = &s->line;

	mp_buf_str(to, s->ex->begun ? MP_STR(",\n{\"name\":") : MP_STR(OPENING "{\"name\":"));
	s->ex->begun = true;
	mp_export_json(to, name);
	mp_buf_add(to, ",\"ph\":\"", 7);
	mp_buf_byte(to, phase);
	mp_buf_byte(to, '"');
	return to;
}

/* Ends an event with the arguments. */
static void end(struct state *s)
{
	struct mp_buf *to = &s->line;

	mp_buf_add(to, ",\"args\":{", 9);
	mp_buf_str(to, mp_buf_view(&s->args));
	mp_buf_add(to, "}}", 2);
}

static void add_name(struct state *s, const char *what, struct mp_str pid, struct mp_str tid,
		     struct mp_str name)
{
	struct mp_buf *to = begin(s, mp_str(what), 'M');

	add_thread(to, pid, tid);
	mp_buf_add(to, ",\"args\":{\"name\":", 16);
	mp_export_json(to, name);
	mp_buf_add(to, "}}", 2);
}

/* Names a thread when it is new or has changed its name. */
static void name_thread(struct state *s, const struct event *e)
{
	uint64_t tid, hash;

	if (!e->tid.p || !e->comm.p || mp_num_u64(e->tid, &tid) < 0)
		return;
	hash = mp_hash(e->comm.p, e->comm.len, 0) | 1;
	if (mp_intmap_get(&s->names, tid) == hash)
		return;
	set(&s->names, tid, hash);
	add_name(s, "thread_name", e->pid, e->tid, e->comm);
	if (e->pid.p && mp_str_eq(e->pid, e->tid))
		add_name(s, "process_name", e->pid, e->tid, e->comm);
}

/* One end of an arrow from a wakeup to the switch to the thread that was woken. */
static void add_flow(struct state *s, const struct event *e, char phase, uint64_t id)
{
	struct mp_buf *to = begin(s, MP_STR("wakeup"), phase);

	add_us(to, ",\"cat\":\"sched\",\"ts\":", e->rec->time_ns);
	add_thread(to, MP_STR(CPUS), e->cpu);
	mp_buf_str(to, MP_STR(",\"id\":"));
	add_u64(to, id);
	mp_buf_str(to, phase == 'f' ? MP_STR(",\"bp\":\"e\"}") : MP_STR("}"));
}

static void note_wakeup(struct state *s, const struct event *e)
{
	uint64_t tid;

	if (!e->cpu.p || !e->woken.p || mp_num_u64(e->woken, &tid) < 0 ||
	    mp_intmap_get(&s->wakers, tid))
		return;
	set(&s->wakers, tid, ++s->flows);
	add_flow(s, e, 's', s->flows);
}

static void end_wakeup(struct state *s, const struct event *e)
{
	uint64_t tid, id;

	if (!e->next_pid.p || mp_num_u64(e->next_pid, &tid) < 0 ||
	    !(id = mp_intmap_get(&s->wakers, tid)))
		return;
	mp_intmap_remove(&s->wakers, mp_intmap_find(&s->wakers, tid));
	add_flow(s, e, 'f', id);
}

static void name_cpu(struct state *s, const struct event *e)
{
	struct mp_buf name = { NULL, 0, 0 };

	s->any_cpu = true;
	mp_buf_str(&name, MP_STR("CPU "));
	mp_buf_str(&name, e->cpu);
	add_name(s, "thread_name", MP_STR(CPUS), e->cpu, mp_buf_view(&name));
	mp_buf_release(&name);
}

/*
 * A switch ends a slice on the track of its CPU, which the previous switch there began. Returns
 * false if the time of that is not known: it is then an event like any other.
 */
static bool add_switch(struct state *s, const struct event *e)
{
	uint64_t since, now = e->rec->time_ns;
	struct mp_buf *to;

	if (!e->cpu.p || !e->prev_comm.p || !e->prev_pid.p)
		return false;
	since = mp_intmap_get(&s->cpus, e->cpu_value);
	set(&s->cpus, e->cpu_value, now + 1);
	if (!since)
		name_cpu(s, e);
	if (!since || now + 1 < since)
		return false;
	to = begin(s, e->prev_comm, 'X');
	add_us(to, ",\"cat\":\"sched\",\"ts\":", since - 1);
	add_us(to, ",\"dur\":", now + 1 - since);
	add_thread(to, MP_STR(CPUS), e->cpu);
	end(s);
	end_wakeup(s, e);
	return true;
}

static void note_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct state *s = arg;

	(void)weight;
	if (n)
		s->node = mp_tree_add(&s->tree, frames, n, 1);
}

/* Sets the node of the current stack. Returns 0, or -1 with `*why`. */
static int find_node(struct state *s, const struct event *e, const char **why)
{
	uint64_t hash;
	size_t i;

	s->node = 0;
	if (!e->stack.p)
		return 0;
	hash = mp_hash(e->stack.p, e->stack.len, mp_hash_seed());
	i = hash % RECENT_STACKS;
	if (s->recent[i].node && s->recent[i].hash == hash) {
		s->node = s->recent[i].node;
		return 0;
	}
	if (mp_fold_pass(&s->ex->reader.fold, &s->ex->reader.style, e->rec, note_stack, s, why) < 0)
		return -1;
	s->recent[i].hash = hash;
	s->recent[i].node = s->node;
	return 0;
}

static void add_event(struct state *s, const struct event *e)
{
	const char *why;
	struct mp_buf *to;

	if (find_node(s, e, &why) < 0) {
		mp_input_bad(&s->ex->in, why);
		return;
	}
	to = begin(s, e->rec->type, e->dur.p ? 'X' : 'i');
	add_us(to, ",\"ts\":", e->rec->time_ns - e->dur_ns * (e->dur.p != NULL));
	if (e->dur.p)
		add_us(to, ",\"dur\":", e->dur_ns);
	else
		mp_buf_add(to, ",\"s\":\"t\"", 8);
	add_thread(to, e->pid, e->tid.p ? e->tid : e->pid);
	if (s->node) {
		mp_buf_str(to, MP_STR(",\"sf\":"));
		add_u64(to, s->node);
	}
	end(s);
}

/*
 * A counter is a track of its process, or one that its name says is of a cgroup or a CPU. Returns
 * false if the event has no value of a counter.
 */
static bool add_counter(struct state *s, const struct event *e)
{
	static const struct mp_field cgroup = MP_FIELD_OF(KEY, "cgroup");
	struct mp_field field = mp_field_counter(e->rec->type);
	struct mp_buf name = { NULL, 0, 0 };
	struct mp_str of;
	struct mp_buf *to;
	double v;

	if (!field.name.p || mp_rec_number(e->rec, &field, &v) < 1)
		return false;
	mp_buf_str(&name, e->rec->type);
	if (mp_rec_get(e->rec, &cgroup, &of)) {
		mp_buf_byte(&name, ' ');
		mp_buf_str(&name, of);
	} else if (!e->pid.p && e->cpu.p) {
		mp_buf_str(&name, MP_STR(" CPU "));
		mp_buf_str(&name, e->cpu);
	}
	to = begin(s, mp_buf_view(&name), 'C');
	mp_buf_release(&name);
	add_us(to, ",\"ts\":", e->rec->time_ns);
	add_thread(to, e->pid, e->tid.p ? e->tid : e->pid);
	mp_buf_printf(to, ",\"args\":{\"value\":%.15g}}", v);
	return true;
}

static void handle_event(struct state *s, const struct mp_rec *rec)
{
	struct event e;

	parse(s, rec, &e);
	name_thread(s, &e);
	if (add_counter(s, &e))
		return;
	if (mp_str_eq(rec->type, MP_STR("sched:sched_waking")) ||
	    mp_str_eq(rec->type, MP_STR("sched:sched_wakeup")) ||
	    mp_str_eq(rec->type, MP_STR("sched:sched_wakeup_new")))
		note_wakeup(s, &e);
	if (!mp_str_eq(rec->type, MP_STR("sched:sched_switch")) || !add_switch(s, &e))
		add_event(s, &e);
}

/* What ran on a CPU until the next switch there is not known after a loss. */
static void forget_switch(struct state *s, const struct mp_ctl *ctl)
{
	struct mp_intmap_entry *e;

	if (ctl->type && strcmp(ctl->type, "sched:sched_switch") != 0)
		return;
	if (ctl->cpu < 0) {
		mp_intmap_clear(&s->cpus);
		return;
	}
	e = mp_intmap_find(&s->cpus, (uint64_t)ctl->cpu);
	if (e->value)
		mp_intmap_remove(&s->cpus, e);
}

/* Lost events: an event of the whole trace. */
static void handle_lost(struct state *s, const struct mp_ctl *ctl)
{
	struct mp_buf *to = begin(s, MP_STR("lost events"), 'i');

	forget_switch(s, ctl);
	add_us(to, ",\"s\":\"g\",\"ts\":", ctl->time_ns);
	s->args.len = 0;
	mp_buf_printf(&s->args, "\"lost\":%llu", (unsigned long long)ctl->lost);
	if (ctl->cpu >= 0)
		mp_buf_printf(&s->args, ",\"cpu\":%d", ctl->cpu);
	if (ctl->type) {
		add_key(&s->args, MP_STR("type"));
		mp_export_json_raw(&s->args, mp_str(ctl->type));
	}
	add_thread(to, MP_STR("0"), MP_STR("0"));
	end(s);
}

static void add_frames(struct state *s)
{
	struct mp_buf name = { NULL, 0, 0 };
	size_t i;

	for (i = 1; i < s->tree.n; i++) {
		struct mp_frame frame = mp_tree_frame(&s->tree, (uint32_t)i);

		mp_export_frame(&name, frame.name, frame.mark);
		mp_buf_printf(&s->line, "%s\n\"%zu\":{\"name\":", i > 1 ? "," : "", i);
		mp_export_json_raw(&s->line, mp_buf_view(&name));
		if (s->tree.nodes[i].parent)
			mp_buf_printf(&s->line, ",\"parent\":\"%u\"", s->tree.nodes[i].parent);
		mp_buf_byte(&s->line, '}');
		mp_out_write(&s->ex->out, s->line.p, s->line.len);
		s->line.len = 0;
	}
	mp_buf_release(&name);
}

static void write_out(struct state *s)
{
	mp_out_write(&s->ex->out, s->line.p, s->line.len);
	s->line.len = 0;
}

static void write_end(struct state *s)
{
	if (s->any_cpu)
		add_name(s, "process_name", MP_STR(CPUS), MP_STR("0"), MP_STR("CPUs"));
	if (!s->ex->begun)
		mp_buf_str(&s->line, MP_STR(OPENING));
	mp_buf_printf(&s->line, "\n],\n\"displayTimeUnit\":\"ns\",\n\"stackFrames\":{");
	write_out(s);
	add_frames(s);
	mp_buf_printf(&s->line, "\n}}\n");
	write_out(s);
}

void mp_export_chrome(struct mp_export *ex)
{
	struct state s = { .ex = ex };
	struct mp_rec rec;

	mp_intmap_init(&s.cpus);
	mp_intmap_init(&s.names);
	mp_intmap_init(&s.wakers);
	mp_tree_init(&s.tree);
	s.recent = mp_zalloc(RECENT_STACKS * sizeof(*s.recent));
	ex->reader.choice.by.n = 0; /* stacks are those of the events */
	while (mp_export_next(ex, &rec)) {
		if (rec.kind == MP_EVENT)
			handle_event(&s, &rec);
		else if (mp_export_lost(ex))
			handle_lost(&s, &ex->in.ctl);
		write_out(&s);
	}
	if (!mp_export_none(ex))
		write_end(&s);
	mp_buf_release(&s.line);
	mp_buf_release(&s.args);
	mp_intmap_release(&s.cpus);
	mp_intmap_release(&s.names);
	mp_intmap_release(&s.wakers);
	mp_tree_release(&s.tree);
	free(s.recent);
}
