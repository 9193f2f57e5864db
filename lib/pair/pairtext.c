// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pairtext.h"

#include <stdlib.h>

#include "lib/core/natural.h"
#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

enum {
	AFTER_WIDTH = 9, /* "1.23 ms" */
	TASK_WIDTH = 26, /* the usual comm, tid and CPU */
	STACK_INDENT = 2 + 20 + 2 + AFTER_WIDTH + 4,
	RUNS_SHOWN = 8, /* tasks of a CPU */
	FRAMES_MAX = 1024,
};

/* The task of a CPU, while the lines of a span are read. */
struct on_cpu {
	uint64_t since_ns;
	struct mp_map_entry *run; /* of the task that has the CPU; NULL: none of this span */
};

struct run {
	uint64_t ns, n;
};

/* What a line says of a switch. */
struct change {
	struct mp_str cpu, prev_comm, prev_tid, next_comm, next_tid;
};

void mp_pairtext_init(struct mp_pairtext *t, struct mp_out *out, bool stacks, size_t lines,
		      uint64_t hide_ns)
{
	*t = (struct mp_pairtext){
		.out = out, .stacks = stacks, .lines = lines, .hide_ns = hide_ns
	};
	mp_map_init(&t->cpus, sizeof(struct on_cpu));
	mp_map_init(&t->runs, sizeof(struct run));
}

void mp_pairtext_release(struct mp_pairtext *t)
{
	mp_map_release(&t->cpus);
	mp_map_release(&t->runs);
	mp_buf_release(&t->b);
	free(t->shown);
}

static void flush(struct mp_pairtext *t)
{
	mp_out_write(t->out, t->b.p, t->b.len);
	t->b.len = 0;
}

static void add_duration(struct mp_buf *b, uint64_t ns)
{
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)ns);
	mp_buf_str(b, mp_str(text));
}

/* --- a line ----------------------------------------------------------------------------------- */

/* Adds the name of a task, "nginx:1042"; of one without a name only the tid. */
static void add_task(struct mp_buf *b, struct mp_str comm, struct mp_str tid)
{
	if (comm.p)
		mp_esc_terminal(b, comm);
	if (comm.p && tid.p)
		mp_buf_byte(b, ':');
	if (tid.p)
		mp_esc_terminal(b, tid);
}

/* Adds the task and the CPU of an event, and blanks up to a width. */
static void add_who(struct mp_buf *b, const struct mp_rec *rec, size_t width)
{
	static const struct mp_field fields[] = { MP_FIELD_OF(KEY, "comm"), MP_FIELD_OF(KEY, "tid"),
						  MP_FIELD_OF(KEY, "cpu") };
	struct mp_str v[MP_ARRAY_SIZE(fields)];
	size_t begin = b->len, i;

	for (i = 0; i < MP_ARRAY_SIZE(fields); i++)
		if (!mp_rec_get(rec, &fields[i], &v[i]))
			v[i].p = NULL;
	add_task(b, v[0], v[1]);
	if (v[2].p) {
		mp_buf_str(b, MP_STR(" ["));
		mp_esc_terminal(b, v[2]);
		mp_buf_byte(b, ']');
	}
	while (b->len - begin < width)
		mp_buf_byte(b, ' ');
}

static bool in_columns(struct mp_str key)
{
	return mp_str_eq(key, MP_STR("cpu")) || mp_str_eq(key, MP_STR("pid")) ||
	       mp_str_eq(key, MP_STR("tid")) || mp_str_eq(key, MP_STR("comm")) ||
	       mp_str_eq(key, MP_STR("stack")) || mp_str_eq(key, MP_STR("span"));
}

/* Adds the type and the fields of an event, without `omitted`. */
static void add_fields(struct mp_buf *b, const struct mp_rec *rec, struct mp_str omitted)
{
	struct mp_str rest = rec->body, key, value;

	mp_esc_terminal(b, rec->type);
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (in_columns(key) || mp_str_eq(key, omitted))
			continue;
		mp_buf_byte(b, ' ');
		mp_esc_terminal(b, key);
		mp_buf_byte(b, '=');
		mp_esc_terminal(b, value);
	}
}

/* Adds a stack, leaf first, a line for each frame. */
static void add_stack(struct mp_buf *b, const struct mp_rec *rec)
{
	struct mp_str frames, frame, v[FRAMES_MAX];
	size_t n = 0, i;

	if (!mp_rec_stack(rec, &frames))
		return;
	while (mp_rec_next_frame(&frames, &frame))
		v[n++ % FRAMES_MAX] = frame;
	for (i = 0; i < n && i < FRAMES_MAX; i++) {
		mp_buf_printf(b, "%*s", STACK_INDENT, "");
		mp_esc_terminal(b, v[(n - 1 - i) % FRAMES_MAX]);
		mp_buf_byte(b, '\n');
	}
}

/* --- who ran ---------------------------------------------------------------------------------- */

/* Reads a switch; false if the event is not one. */
static bool read_change(const struct mp_rec *rec, struct change *c)
{
	static const struct mp_field cpu = MP_FIELD_OF(KEY, "cpu"),
				     prev_comm = MP_FIELD_OF(KEY, ".prev_comm"),
				     prev_pid = MP_FIELD_OF(KEY, ".prev_pid"),
				     next_comm = MP_FIELD_OF(KEY, ".next_comm"),
				     next_pid = MP_FIELD_OF(KEY, ".next_pid");

	if (!mp_str_eq(rec->type, MP_STR("sched:sched_switch")) ||
	    !mp_rec_get(rec, &cpu, &c->cpu) || !mp_rec_get(rec, &prev_pid, &c->prev_tid) ||
	    !mp_rec_get(rec, &next_pid, &c->next_tid))
		return false;
	if (!mp_rec_get(rec, &prev_comm, &c->prev_comm))
		c->prev_comm = MP_STR("");
	if (!mp_rec_get(rec, &next_comm, &c->next_comm))
		c->next_comm = MP_STR("");
	return true;
}

static struct mp_map_entry *put_run(struct mp_pairtext *t, struct mp_str cpu, struct mp_str comm,
				    struct mp_str tid)
{
	struct mp_str parts[] = { cpu, comm, tid };

	return mp_map_put(&t->runs, parts, 3, NULL);
}

/* Adds the part of a run that is inside the span. */
static void count_run(struct mp_map_entry *e, const struct mp_context_span *s, uint64_t from_ns,
		      uint64_t to_ns)
{
	struct run *r = mp_map_value(e);

	from_ns = MP_MAX(from_ns, s->begin_ns);
	to_ns = MP_MIN(to_ns, s->end_ns);
	if (to_ns <= from_ns)
		return;
	r->ns += to_ns - from_ns;
	r->n++;
}

/*
 * Follows a switch: counts the run that it ends. Returns the length of that run; `*whole` is false
 * if it began before the first line.
 */
static uint64_t follow(struct mp_pairtext *t, const struct mp_context_span *s, uint64_t first_ns,
		       const struct mp_rec *rec, const struct change *change, bool *whole)
{
	bool fresh;
	struct on_cpu *c = mp_map_value(mp_map_put(&t->cpus, &change->cpu, 1, &fresh));
	uint64_t since_ns = fresh ? first_ns : c->since_ns;

	*whole = !fresh;
	count_run(put_run(t, change->cpu, change->prev_comm, change->prev_tid), s, since_ns,
		  rec->time_ns);
	c->since_ns = rec->time_ns;
	c->run = put_run(t, change->cpu, change->next_comm, change->next_tid);
	return rec->time_ns - since_ns;
}

static struct mp_str part_of(const struct mp_map_entry *e, size_t n)
{
	struct mp_str rest = e->key;
	const char *tab;

	for (;; n--) {
		tab = memchr(rest.p, '\t', rest.len);
		if (!n || !tab)
			break;
		rest = mp_str_skip(rest, tab + 1 - rest.p);
	}
	return (struct mp_str){ rest.p, tab ? (size_t)(tab - rest.p) : rest.len };
}

/* By CPU, then the longest first. */
static int compare_runs(const void *va, const void *vb)
{
	const struct mp_map_entry *a = *(struct mp_map_entry *const *)va;
	const struct mp_map_entry *b = *(struct mp_map_entry *const *)vb;
	const struct run *x = mp_map_value(a), *y = mp_map_value(b);
	int cmp = mp_natural_cmp(part_of(a, 0), part_of(b, 0));

	if (cmp)
		return cmp;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return mp_natural_cmp(a->key, b->key);
}

/* Adds a line for the CPU of runs[0]; returns how many of the runs are on that CPU. */
static size_t add_cpu(struct mp_buf *b, struct mp_map_entry **runs, size_t n)
{
	struct mp_str cpu = part_of(runs[0], 0);
	uint64_t others_ns = 0;
	size_t i;

	mp_buf_str(b, MP_STR("  ran on CPU "));
	mp_esc_terminal(b, cpu);
	for (i = 0; i < n && mp_str_eq(part_of(runs[i], 0), cpu); i++) {
		const struct run *r = mp_map_value(runs[i]);

		if (i >= RUNS_SHOWN) {
			others_ns += r->ns;
			continue;
		}
		mp_buf_str(b, i ? MP_STR(", ") : MP_STR(": "));
		add_task(b, part_of(runs[i], 1), part_of(runs[i], 2));
		mp_buf_byte(b, ' ');
		add_duration(b, r->ns);
		if (r->n > 1)
			mp_buf_printf(b, " in %llu runs", (unsigned long long)r->n);
	}
	if (i > RUNS_SHOWN) {
		mp_buf_printf(b, ", %zu other%s ", i - RUNS_SHOWN, mp_plural(i - RUNS_SHOWN));
		add_duration(b, others_ns);
	}
	mp_buf_byte(b, '\n');
	return i;
}

/* Adds who ran while the span lasted, on the CPUs that switched. */
static void add_runs(struct mp_pairtext *t, const struct mp_context_span *s)
{
	struct mp_map_entry **sorted, *e;
	size_t n = 0, i;

	mp_map_each (&t->cpus, e) {
		const struct on_cpu *c = mp_map_value(e);

		if (c->run)
			count_run(c->run, s, c->since_ns, s->end_ns);
	}
	sorted = mp_alloc((t->runs.n + 1) * sizeof(struct mp_map_entry *));
	mp_map_each (&t->runs, e)
		if (((struct run *)mp_map_value(e))->n)
			sorted[n++] = e;
	if (n)
		qsort(sorted, n, sizeof(struct mp_map_entry *), compare_runs);
	for (i = 0; i < n;)
		i += add_cpu(&t->b, sorted + i, n - i);
	free(sorted);
	mp_map_clear(&t->cpus);
	mp_map_clear(&t->runs);
}

/* Whether a switch is on a CPU whose runs are counted. */
static bool on_its_cpus(const struct mp_context *c, const struct mp_context_span *s,
			struct mp_str cpu)
{
	size_t side;

	if (c->which & MP_CONTEXT_ALL)
		return true;
	for (side = 0; side < 2; side++)
		if (s->values[side][MP_CONTEXT_CPU].p &&
		    mp_str_eq(s->values[side][MP_CONTEXT_CPU], cpu))
			return true;
	return false;
}

/* --- a span ----------------------------------------------------------------------------------- */

static void add_head(struct mp_buf *b, const struct mp_context_span *s)
{
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, s->line.p, s->line.len, &why) < 0)
		return;
	mp_buf_printf(b, "%llu. ", (unsigned long long)s->number);
	add_duration(b, s->end_ns - s->begin_ns);
	mp_buf_str(b, MP_STR("  "));
	add_who(b, &rec, 0);
	mp_buf_str(b, MP_STR("  "));
	add_fields(b, &rec, MP_STR("dur"));
	mp_buf_byte(b, '\n');
}

static char mark_of(const struct mp_context_span *s, uint64_t i)
{
	if (i == s->begin)
		return '>';
	if (i == s->end)
		return '<';
	return i > s->begin && i < s->end ? '|' : ' ';
}

static void add_event(struct mp_pairtext *t, char mark, const struct mp_rec *rec)
{
	size_t after;

	mp_buf_printf(&t->b, "%c %10llu.%09llu  ", mark,
		      (unsigned long long)(rec->time_ns / 1000000000),
		      (unsigned long long)(rec->time_ns % 1000000000));
	after = t->b.len;
	if (t->last_ns) {
		mp_buf_byte(&t->b, '+');
		add_duration(&t->b, rec->time_ns - t->last_ns);
	}
	while (t->b.len - after < AFTER_WIDTH + 2)
		mp_buf_byte(&t->b, ' ');
	t->last_ns = rec->time_ns;
	add_who(&t->b, rec, TASK_WIDTH);
	mp_buf_byte(&t->b, ' ');
	add_fields(&t->b, rec, MP_STR(""));
}

static void add_run(struct mp_buf *b, const struct change *change, uint64_t ns, bool whole)
{
	mp_buf_str(b, MP_STR("  ("));
	add_task(b, change->prev_comm, change->prev_tid);
	mp_buf_str(b, whole ? MP_STR(" ran ") : MP_STR(" ran at least "));
	add_duration(b, ns);
	mp_buf_byte(b, ')');
}

/*
 * The events of a span that are written: those that --hide shows, and if these are too many, the
 * first ones and the last ones of them.
 */
struct part {
	size_t n;     /* that --hide shows */
	size_t at;    /* of those, the number of the next one */
	size_t event; /* of all, the number of the next one */
	size_t head, tail;
	size_t hidden; /* since the last one that was shown */
};

static bool written(const struct part *p)
{
	return p->at < p->head || p->at >= p->n - p->tail;
}

/* Decides which events --hide shows: the begin, the end, and both sides of each longer time. */
static void choose_shown(struct mp_pairtext *t, const struct mp_context *c,
			 const struct mp_context_span *s, struct part *part)
{
	uint64_t i, time_ns, last_ns = 0;
	struct mp_str line;
	size_t n = 0;
	bool after;

	for (i = 0; mp_context_next(c, s, &i, false, &line); i++, n++) {
		time_ns = mp_context_time(line);
		t->shown = mp_grow(t->shown, &t->cap_shown, n + 1, sizeof(*t->shown));
		after = !n || time_ns - last_ns >= t->hide_ns;
		t->shown[n] = after || i == s->begin || i == s->end;
		if (n && after && !t->shown[n - 1]) {
			t->shown[n - 1] = true;
			part->n++;
		}
		part->n += t->shown[n];
		last_ns = time_ns;
	}
	if (n && !t->shown[n - 1]) {
		t->shown[n - 1] = true;
		part->n++;
	}
}

/* Writes how many events --hide has hidden before the next one. */
static void write_hidden(struct mp_pairtext *t, struct part *part)
{
	if (part->hidden)
		mp_buf_printf(&t->b, "  ... %zu event%s (see --hide)\n", part->hidden,
			      mp_plural(part->hidden));
	part->hidden = 0;
}

static void write_line(struct mp_pairtext *t, const struct mp_context *c,
		       const struct mp_context_span *s, uint64_t i, struct mp_str line,
		       struct part *part, uint64_t first_ns)
{
	struct change change;
	bool switches, whole = true, selected = mp_context_selects(c, s, line);
	uint64_t ran_ns = 0;
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0)
		return;
	switches = read_change(&rec, &change) && on_its_cpus(c, s, change.cpu);
	if (switches)
		ran_ns = follow(t, s, first_ns, &rec, &change, &whole);
	if (!selected)
		return;
	if (!t->shown[part->event++]) {
		part->hidden += written(part);
		return;
	}
	write_hidden(t, part);
	if (written(part)) {
		add_event(t, mark_of(s, i), &rec);
		if (switches && ran_ns)
			add_run(&t->b, &change, ran_ns, whole);
		mp_buf_byte(&t->b, '\n');
		if (t->stacks)
			add_stack(&t->b, &rec);
		flush(t);
	} else if (part->at == part->head) {
		mp_buf_printf(&t->b, "  ... %zu events (see --lines)\n",
			      part->n - part->head - part->tail);
	}
	part->at++;
}

void mp_pairtext_write(void *arg, struct mp_context *c, const struct mp_context_span *s)
{
	struct mp_pairtext *t = arg;
	struct part part = { .head = SIZE_MAX };
	uint64_t i, first_ns = 0;
	struct mp_str line;

	choose_shown(t, c, s, &part);
	if (t->lines && part.n > t->lines) {
		part.head = (t->lines + 1) / 2;
		part.tail = t->lines / 2;
	}
	add_head(&t->b, s);
	t->last_ns = 0;
	for (i = 0; mp_context_next(c, s, &i, true, &line); i++) {
		if (!first_ns)
			first_ns = mp_context_time(line);
		write_line(t, c, s, i, line, &part, first_ns);
	}
	add_runs(t, s);
	mp_buf_byte(&t->b, '\n');
	flush(t);
}
