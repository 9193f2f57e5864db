// SPDX-License-Identifier: GPL-2.0-only
/*
 * firefox: a processed profile of the Firefox Profiler, version 60 of its format
 * (docs-developer/CHANGELOG-formats.md and src/types/profile.ts of firefox-devtools/profiler); newer
 * viewers upgrade it. That version has one table of stacks for all threads, which waits in memory.
 * The samples and markers of a thread are columns of its object: they wait in groups, three for
 * each thread.
 */
#include "lib/export/firefox.h"

#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/export/groups.h"
#include "lib/tree/tree.h"

#define VERSION "60"

enum { TEXT_MAX = 32 << 10 };

/* Numbers of the categories in meta.categories. */
enum category { OTHER, USER, KERNEL, JIT, INLINED };

static const char categories[] =
	"[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"JIT\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Inlined\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]}]";

/* How viewers show a marker: its name, with the fields of the event as text. */
static const char schema[] =
	"[{\"name\":\"event\",\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data.fields}\","
	"\"chartLabel\":\"{marker.name}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
	"\"fields\":[{\"key\":\"fields\",\"label\":\"Fields\",\"format\":\"string\"}]}]";

/* The groups of a thread; FIELDS has the fields of its markers, as text of the stream. */
enum { SAMPLES, FIELDS, MARKERS, GROUPS };

struct thread {
	uint64_t pid, tid;
	struct mp_buf name;
	uint64_t n[GROUPS]; /* how many records each has */
};

/* A sample or a marker; an instant marker is kept without `value`, which is 0. */
struct row {
	uint64_t time_ns;
	uint32_t what; /* node of a sample; number of a marker's name */
	uint32_t span; /* the marker has an end */
	int64_t value; /* weight of a sample; ns from the begin of a marker to its end */
};

/* The fields of an event that have a meaning here. */
struct event {
	struct mp_str pid, tid, comm, dur, stack;
};

struct state {
	struct mp_export *ex;
	struct mp_tree tree;
	struct mp_map types; /* names of markers -> number */
	struct mp_export_groups groups;
	struct mp_intmap by_tid; /* tid -> number of its thread + 1 */
	struct thread *threads;
	size_t n_threads, cap;
	uint64_t first_ns, last_ns; /* of all events */
	bool any;
	size_t timeless; /* number of the thread for stacks without a time + 1; 0: there is none */
	uint32_t node;	 /* of the current stack */
	struct mp_buf payload; /* of the current event */
	struct mp_buf text;    /* of the output */
};

static void write_text(struct state *s)
{
	mp_out_write(&s->ex->out, s->text.p, s->text.len);
	s->text.len = 0;
}

/* After each value of a table. */
static void flush_text(struct state *s)
{
	if (s->text.len >= TEXT_MAX)
		write_text(s);
}

static struct thread *new_thread(struct state *s, uint64_t pid, uint64_t tid, struct mp_str name)
{
	struct thread *t;

	s->threads = mp_grow(s->threads, &s->cap, s->n_threads + 1, sizeof(*s->threads));
	t = &s->threads[s->n_threads++];
	*t = (struct thread){ .pid = pid, .tid = tid };
	mp_buf_str(&t->name, name);
	return t;
}

static uint64_t number_of(struct mp_str text, uint64_t other)
{
	uint64_t v;

	return text.p && mp_num_u64(text, &v) == 0 && v <= INT32_MAX ? v : other;
}

/* The thread of an event; it has the last of its names, and the process that any event names. */
static struct thread *thread_of(struct state *s, const struct event *e)
{
	uint64_t pid = number_of(e->pid, 0), tid = number_of(e->tid, pid);
	uint64_t number = mp_intmap_get(&s->by_tid, tid);
	struct thread *t;

	if (!number) {
		t = new_thread(s, pid ? pid : tid, tid, e->comm);
		mp_intmap_add(&s->by_tid, tid, s->n_threads);
		return t;
	}
	t = &s->threads[number - 1];
	t->pid = pid ? pid : t->pid;
	if (e->comm.p && !mp_str_eq(mp_buf_view(&t->name), e->comm)) {
		t->name.len = 0;
		mp_buf_str(&t->name, e->comm);
	}
	return t;
}

static void add_to(struct state *s, struct thread *t, int group, const void *data, size_t len)
{
	mp_export_groups_add(&s->groups, (uint32_t)(GROUPS * (t - s->threads) + group), data, len);
	t->n[group]++;
}

static void note_time(struct state *s, uint64_t begin_ns, uint64_t end_ns)
{
	s->first_ns = s->any ? MP_MIN(s->first_ns, begin_ns) : begin_ns;
	s->last_ns = s->any ? MP_MAX(s->last_ns, end_ns) : end_ns;
	s->any = true;
}

static uint32_t type_of(struct state *s, struct mp_str type)
{
	bool fresh;
	struct mp_map_entry *e = mp_map_put(&s->types, &type, 1, &fresh);
	uint32_t *number = mp_map_value(e);

	if (fresh)
		*number = (uint32_t)s->types.n - 1;
	return *number;
}

/* An event as a marker, with its payload as one text, in the notation of the stream. */
static void add_marker(struct state *s, struct thread *t, const struct mp_rec *rec,
		       struct mp_str dur)
{
	struct row row = { .time_ns = rec->time_ns, .what = type_of(s, rec->type) };
	uint64_t dur_ns;

	if (dur.p && mp_num_u64(dur, &dur_ns) == 0 && dur_ns <= rec->time_ns) {
		row.value = (int64_t)dur_ns;
		row.span = true;
	}
	add_to(s, t, FIELDS, s->payload.p, s->payload.len);
	add_to(s, t, MARKERS, &row, row.span ? sizeof(row) : offsetof(struct row, value));
	note_time(s, row.time_ns - (uint64_t)row.value, row.time_ns);
}

static void note_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct state *s = arg;

	(void)weight;
	if (n)
		s->node = mp_tree_add(&s->tree, frames, n, 1);
}

static void add_field(struct mp_buf *to, struct mp_str key, struct mp_str value)
{
	if (to->len)
		mp_buf_byte(to, ' ');
	mp_buf_add(to, key.p, value.p + value.len - key.p);
}

static void parse(struct state *s, const struct mp_rec *rec, struct event *e)
{
	struct mp_str rest = rec->body, key, value;

	*e = (struct event){ .comm = { NULL, 0 } };
	s->payload.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (*key.p == '.')
			add_field(&s->payload, key, value);
		else if (mp_str_eq(key, MP_STR("pid")))
			e->pid = value;
		else if (mp_str_eq(key, MP_STR("tid")))
			e->tid = value;
		else if (mp_str_eq(key, MP_STR("comm")))
			e->comm = value;
		else if (mp_str_eq(key, MP_STR("dur")))
			e->dur = value;
		else if (mp_str_eq(key, MP_STR("stack")))
			e->stack = value;
	}
}

/* Finds the node of a record's stack. Returns false if the record is bad. */
static bool find_node(struct state *s, const struct mp_rec *rec)
{
	struct mp_fold_reader *r = &s->ex->reader;
	const char *why;

	s->node = 0;
	if (mp_fold_pass(&r->fold, &r->style, rec, note_stack, s, &why) == 0)
		return true;
	mp_input_bad(&s->ex->in, why);
	return false;
}

/* Events with a stack are samples; spans, and events without a stack, are markers. */
static void add_event(struct state *s, const struct mp_rec *rec, int64_t weight)
{
	struct row row = { .time_ns = rec->time_ns, .value = weight };
	struct thread *t;
	struct event e;

	parse(s, rec, &e);
	if (e.stack.p && !find_node(s, rec))
		return;
	t = thread_of(s, &e);
	if (e.stack.p) {
		row.what = s->node;
		add_to(s, t, SAMPLES, &row, sizeof(row));
		note_time(s, row.time_ns, row.time_ns);
	}
	if (e.dur.p || !e.stack.p)
		add_marker(s, t, rec, e.dur);
}

/* A stack without a time is a sample of a thread of its own, where each takes a millisecond. */
static void add_timeless(struct state *s, const struct mp_rec *rec, int64_t weight)
{
	struct row row = { .value = weight };
	struct thread *t;

	if (!find_node(s, rec))
		return;
	if (!s->timeless) {
		new_thread(s, 0, 0, MP_STR("stacks"));
		s->timeless = s->n_threads;
	}
	t = &s->threads[s->timeless - 1];
	row.what = s->node;
	row.time_ns = t->n[SAMPLES] * 1000000;
	add_to(s, t, SAMPLES, &row, sizeof(row));
}

static void take(struct state *s, const struct mp_rec *rec)
{
	struct mp_export *ex = s->ex;
	const char *why;
	int64_t weight;
	int taken;

	taken = mp_fold_reader_take(&ex->reader, rec, &weight, &why);
	ex->records += taken > 0;
	if (taken < 0)
		mp_input_bad(&ex->in, why);
	else if (taken && rec->kind == MP_EVENT)
		add_event(s, rec, weight);
	else if (taken)
		add_timeless(s, rec, weight);
}

/* A time or a duration in ms, with all its ns. */
static void add_ms(struct mp_buf *to, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	unsigned rest = (unsigned)(n % 1000000), digit = 100000;
	char text[MP_NUM_MAX + 8], *p = text;

	if (ns < 0)
		*p++ = '-';
	p = mp_put_u64(p, n / 1000000);
	for (*p++ = '.'; digit; digit /= 10)
		*p++ = (char)('0' + rest / digit % 10);
	mp_buf_add(to, text, p - text);
}

static void add_number(struct mp_buf *to, int64_t v)
{
	char text[MP_NUM_MAX];

	mp_buf_add(to, text, mp_put_i64(text, v) - text);
}

/* What is written of a row; `base_ns` is the time 0 of its thread. */
enum column { STACK, TIME, WEIGHT, WEIGHT_MS, NAME, START, PHASE };

static void add_cell(struct state *s, enum column column, const struct row *row, uint64_t base_ns)
{
	struct mp_buf *to = &s->text;

	switch (column) {
	case STACK:
		add_number(to, (int64_t)row->what - 1);
		break;
	case TIME:
		add_ms(to, (int64_t)(row->time_ns - base_ns));
		break;
	case WEIGHT:
		add_number(to, row->value);
		break;
	case WEIGHT_MS:
		add_ms(to, row->value);
		break;
	case NAME: /* their names follow those of the frames */
		add_number(to, (int64_t)(mp_tree_names(&s->tree) + row->what));
		break;
	case START:
		add_ms(to, (int64_t)(row->time_ns - base_ns) - row->value);
		break;
	case PHASE: /* 0: instant, 1: interval */
		add_number(to, row->span);
		break;
	}
}

static void add_column(struct state *s, const char *name, enum column column, uint32_t group,
		       uint64_t base_ns)
{
	struct row row = { .value = 0 };
	struct mp_str record;
	const char *separator = "";

	mp_buf_printf(&s->text, "\"%s\":[", name);
	mp_export_groups_begin(&s->groups, group);
	while (mp_export_groups_next(&s->groups, &record)) {
		row.value = 0;
		memcpy(&row, record.p, record.len);
		mp_buf_str(&s->text, mp_str(separator));
		separator = ",";
		add_cell(s, column, &row, base_ns);
		flush_text(s);
	}
	mp_buf_str(&s->text, MP_STR("],\n"));
}

/* A column whose values are all the same. */
static void add_constant(struct state *s, const char *name, const char *value, size_t n)
{
	struct mp_str text = mp_str(value);
	size_t i;

	mp_buf_printf(&s->text, "\"%s\":[", name);
	for (i = 0; i < n; i++) {
		if (i)
			mp_buf_byte(&s->text, ',');
		mp_buf_str(&s->text, text);
		flush_text(s);
	}
	mp_buf_byte(&s->text, ']');
}

/* The type of weights, of which the format knows these three. */
static void add_samples(struct state *s, const struct thread *t, uint32_t group, uint64_t base_ns)
{
	const char *unit = mp_fold_reader_unit(&s->ex->reader);
	bool ms = strcmp(unit, "ns") == 0;

	mp_buf_str(&s->text, MP_STR("\"samples\":{"));
	add_column(s, "stack", STACK, group, base_ns);
	add_column(s, "time", TIME, group, base_ns);
	add_column(s, "weight", ms ? WEIGHT_MS : WEIGHT, group, base_ns);
	mp_buf_printf(&s->text, "\"weightType\":\"%s\",\"length\":%llu},\n",
		      ms		       ? "tracing-ms"
		      : strcmp(unit, "B") == 0 ? "bytes"
					       : "samples",
		      (unsigned long long)t->n[SAMPLES]);
}

static void add_markers(struct state *s, const struct thread *t, uint32_t group, uint64_t base_ns)
{
	struct mp_str fields;
	const char *separator = "";

	mp_buf_str(&s->text, MP_STR("\"markers\":{\"data\":["));
	mp_export_groups_begin(&s->groups, group + FIELDS);
	while (mp_export_groups_next(&s->groups, &fields)) {
		mp_buf_str(&s->text, mp_str(separator));
		separator = ",\n";
		mp_buf_str(&s->text, MP_STR("{\"type\":\"event\",\"fields\":"));
		mp_export_json(&s->text, fields);
		mp_buf_byte(&s->text, '}');
		flush_text(s);
	}
	mp_buf_str(&s->text, MP_STR("],\n"));
	group += MARKERS;
	add_column(s, "name", NAME, group, base_ns);
	add_column(s, "startTime", START, group, base_ns);
	add_column(s, "endTime", TIME, group, base_ns);
	add_column(s, "phase", PHASE, group, base_ns);
	add_constant(s, "category", "0", t->n[MARKERS]);
	mp_buf_printf(&s->text, ",\"length\":%llu}}", (unsigned long long)t->n[MARKERS]);
}

static void add_thread(struct state *s, size_t number)
{
	const struct thread *t = &s->threads[number];
	uint64_t base_ns = number + 1 == s->timeless ? 0 : s->first_ns;
	uint64_t main = mp_intmap_get(&s->by_tid, t->pid);

	mp_buf_printf(&s->text,
		      "%s{\"processType\":\"default\",\"processStartupTime\":0,"
		      "\"processShutdownTime\":null,\"registerTime\":0,"
		      "\"unregisterTime\":null,\"pausedRanges\":[],"
		      "\"showMarkersInTimeline\":true,\"name\":",
		      number ? ",\n" : "");
	mp_export_json(&s->text, mp_buf_view(&t->name));
	if (main && number + 1 != s->timeless) {
		mp_buf_str(&s->text, MP_STR(",\"processName\":"));
		mp_export_json(&s->text, mp_buf_view(&s->threads[main - 1].name));
	}
	mp_buf_printf(&s->text, ",\"isMainThread\":%s,\"pid\":\"%llu\",\"tid\":%llu,\n",
		      t->pid == t->tid ? "true" : "false", (unsigned long long)t->pid,
		      (unsigned long long)t->tid);
	add_samples(s, t, (uint32_t)(GROUPS * number), base_ns);
	add_markers(s, t, (uint32_t)(GROUPS * number), base_ns);
}

/* The mean time between the samples of the thread that has most of them, in ns. */
static uint64_t interval(const struct state *s)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < s->n_threads; i++)
		most = MP_MAX(most, s->threads[i].n[SAMPLES]);
	return most && s->any ? MP_MAX((s->last_ns - s->first_ns) / most, (uint64_t)1) : 1000000;
}

/* Time 0 is that of the first event, at startTime on the clock of the time of day. */
static void add_meta(struct state *s)
{
	json_t *origin = s->ex->reader.origin;
	json_t *clock = json_object_get(origin, "clock_ns");
	json_t *real = json_object_get(origin, "realtime_ns");
	const char *name = json_string_value(json_object_get(origin, "clock"));
	uint64_t start_ns = 0;

	if (clock && real)
		start_ns = (uint64_t)json_integer_value(real) -
			   (uint64_t)json_integer_value(clock) + s->first_ns;
	else if (name && strcmp(name, "realtime") == 0)
		start_ns = s->first_ns;
	mp_buf_str(&s->text, MP_STR("{\"meta\":{\"interval\":"));
	add_ms(&s->text, (int64_t)MP_MIN(interval(s), (uint64_t)INT64_MAX));
	mp_buf_str(&s->text, MP_STR(",\"startTime\":"));
	add_ms(&s->text, (int64_t)MP_MIN(start_ns, (uint64_t)INT64_MAX));
	mp_buf_printf(&s->text,
		      ",\"processType\":0,\"product\":\"mp-export " MP_VERSION "\","
		      "\"importedFrom\":\"mp-export\",\"stackwalk\":1,\"version\":31,"
		      "\"preprocessedProfileVersion\":" VERSION ",\"symbolicated\":true,"
		      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
		      "\"categories\":%s,\n\"markerSchema\":%s",
		      categories, schema);
	if (s->ex->lost)
		mp_buf_printf(&s->text,
			      ",\n\"extra\":[{\"label\":\"Losses\",\"entries\":[{\"label\":"
			      "\"Lost events\",\"format\":\"integer\",\"value\":%llu}]}]",
			      (unsigned long long)s->ex->lost);
	mp_buf_str(&s->text, MP_STR("},\n\"libs\":[],\n\"threads\":["));
	flush_text(s);
}

/* A column of frames or functions: their own numbers, which are those of their names, too. */
static void add_numbers(struct state *s, const char *name, size_t n)
{
	size_t i;

	mp_buf_printf(&s->text, "\"%s\":[", name);
	for (i = 0; i < n; i++) {
		mp_buf_printf(&s->text, "%s%zu", i ? "," : "", i);
		flush_text(s);
	}
	mp_buf_byte(&s->text, ']');
}

static void add_stacks(struct state *s)
{
	const struct mp_tree_node *v = s->tree.nodes;
	size_t i;

	mp_buf_printf(&s->text, "\"stackTable\":{\"frame\":[");
	for (i = 1; i < s->tree.n; i++) {
		mp_buf_printf(&s->text, "%s%u", i > 1 ? "," : "", v[i].name);
		flush_text(s);
	}
	mp_buf_printf(&s->text, "],\n\"prefix\":[");
	for (i = 1; i < s->tree.n; i++) {
		if (v[i].parent)
			mp_buf_printf(&s->text, "%s%u", i > 1 ? "," : "", v[i].parent - 1);
		else
			mp_buf_printf(&s->text, "%snull", i > 1 ? "," : "");
		flush_text(s);
	}
	mp_buf_printf(&s->text, "],\"length\":%zu}", s->tree.n - 1);
}

static enum category category_of(enum mp_mark mark)
{
	switch (mark) {
	case MP_MARK_KERNEL:
		return KERNEL;
	case MP_MARK_JIT:
		return JIT;
	case MP_MARK_INLINED:
		return INLINED;
	case MP_MARK_NONE:
		break;
	}
	return USER;
}

/* A frame for each name, and a function for each frame. */
static void add_frames(struct state *s)
{
	static const char *const constants[][2] = {
		{ "subcategory", "0" },	    { "address", "-1" },	 { "inlineDepth", "0" },
		{ "nativeSymbol", "null" }, { "innerWindowID", "null" }, { "line", "null" },
		{ "column", "null" },
	};
	static const char *const of_functions[][2] = {
		{ "isJS", "false" },  { "relevantForJS", "false" }, { "resource", "-1" },
		{ "source", "null" }, { "lineNumber", "null" },	    { "columnNumber", "null" },
	};
	size_t n = mp_tree_names(&s->tree), i;

	mp_buf_str(&s->text, MP_STR(",\n\"frameTable\":{"));
	add_numbers(s, "func", n);
	mp_buf_str(&s->text, MP_STR(",\n\"category\":["));
	for (i = 0; i < n; i++) {
		mp_buf_printf(&s->text, "%s%d", i ? "," : "",
			      category_of(mp_tree_name(&s->tree, (uint32_t)i).mark));
		flush_text(s);
	}
	mp_buf_byte(&s->text, ']');
	for (i = 0; i < MP_ARRAY_SIZE(constants); i++) {
		mp_buf_str(&s->text, MP_STR(",\n"));
		add_constant(s, constants[i][0], constants[i][1], n);
	}
	mp_buf_printf(&s->text, ",\"length\":%zu},\n\"funcTable\":{", n);
	add_numbers(s, "name", n);
	for (i = 0; i < MP_ARRAY_SIZE(of_functions); i++) {
		mp_buf_str(&s->text, MP_STR(",\n"));
		add_constant(s, of_functions[i][0], of_functions[i][1], n);
	}
	mp_buf_printf(&s->text, ",\"length\":%zu}", n);
}

/* The names of frames, with their marks, then those of markers. */
static void add_strings(struct state *s)
{
	struct mp_buf name = { NULL, 0, 0 };
	const char *separator = "";
	const struct mp_map_entry *e;
	size_t i;

	mp_buf_str(&s->text, MP_STR(",\n\"stringArray\":["));
	for (i = 0; i < mp_tree_names(&s->tree); i++) {
		struct mp_frame frame = mp_tree_name(&s->tree, (uint32_t)i);

		mp_export_frame(&name, frame.name, frame.mark);
		mp_buf_str(&s->text, mp_str(separator));
		separator = ",\n";
		mp_export_json_raw(&s->text, mp_buf_view(&name));
		flush_text(s);
	}
	mp_map_each (&s->types, e) {
		mp_buf_str(&s->text, mp_str(separator));
		separator = ",\n";
		mp_export_json(&s->text, e->key);
		flush_text(s);
	}
	mp_buf_byte(&s->text, ']');
	mp_buf_release(&name);
}

static void write_profile(struct state *s)
{
	size_t i;

	add_meta(s);
	for (i = 0; i < s->n_threads; i++)
		add_thread(s, i);
	mp_buf_str(&s->text, MP_STR("],\n\"shared\":{"));
	add_stacks(s);
	add_frames(s);
	add_strings(s);
	mp_buf_str(&s->text,
		   MP_STR(",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],"
			  "\"type\":[],\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],"
			  "\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n"
			  "\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0}}}\n"));
	write_text(s);
}

void mp_export_firefox(struct mp_export *ex)
{
	struct state s = { .ex = ex };
	struct mp_rec rec;
	size_t i;

	mp_tree_init(&s.tree);
	mp_map_init(&s.types, sizeof(uint32_t));
	mp_intmap_init(&s.by_tid);
	mp_export_groups_init(&s.groups);
	while (mp_input_next(&ex->in, &rec)) {
		if (rec.kind == MP_CONTROL)
			mp_export_control(ex);
		else
			take(&s, &rec);
	}
	if (!mp_export_none(ex))
		write_profile(&s);
	for (i = 0; i < s.n_threads; i++)
		mp_buf_release(&s.threads[i].name);
	free(s.threads);
	mp_tree_release(&s.tree);
	mp_map_release(&s.types);
	mp_intmap_release(&s.by_tid);
	mp_export_groups_release(&s.groups);
	mp_buf_release(&s.payload);
	mp_buf_release(&s.text);
}
