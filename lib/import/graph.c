// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads function graphs of ftrace, the trace file of its tracer function_graph: calls that nest,
 * of which the last line has the duration. The shapes are those of kernel/trace/trace_functions_graph.c:
 * "[ABSTIME |] CPU) [TASK |] DURATION | FUNCTION".
 */
#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/import/format.h"
#include "lib/import/frames.h"

/* the kernel follows 50 calls; names are kept up to NAME_LENGTH bytes */
enum { DEPTH_MAX = 64, CPUS_MAX = 4096, NAME_LENGTH = 255 };

/* The calls that are open on a CPU, outermost first. */
struct cpu {
	struct mp_str open[DEPTH_MAX]; /* of a thread that was switched out, they are forgotten */
	size_t depth;
	struct mp_buf task; /* "COMM-TID" of the latest line or switch; may be empty */
};

struct state {
	struct mp_import *im;
	struct cpu **cpus; /* by number */
	struct mp_import_frames frames;
	uint64_t calls; /* TIME of the next one, if the text has no times */
};

struct line {
	bool has_time, has_dur;
	uint64_t time_ns, dur_ns, cpu;
	struct mp_str task, call;
};

static bool parse_us(struct mp_str s, uint64_t *ns)
{
	size_t n = mp_import_digits(s);
	uint64_t us, fraction;
	size_t digits;

	if (!n || n + 1 >= s.len || s.p[n] != '.')
		return false;
	digits = mp_import_digits(mp_str_skip(s, n + 1));
	if (digits + n + 1 != s.len || digits > 3 || !digits ||
	    mp_num_u64((struct mp_str){ s.p, n }, &us) < 0 || us > INT64_MAX / 4000 ||
	    mp_num_u64(mp_str_skip(s, n + 1), &fraction) < 0)
		return false;
	for (; digits < 3; digits++)
		fraction *= 10;
	*ns = us * 1000 + fraction;
	return true;
}

/* The column before the next " |", which is removed from *s. */
static bool column(struct mp_str *s, struct mp_str *text)
{
	size_t bar = mp_import_find(*s, "|");

	if (bar == s->len)
		return false;
	*text = mp_import_trim((struct mp_str){ s->p, bar });
	*s = mp_str_skip(*s, bar + 1);
	return true;
}

/* "   1.234 us", perhaps with a sign of a long duration before it; empty: the call has not ended */
static bool parse_duration(struct mp_str s, struct line *l)
{
	while (s.len && strchr("+!#*@$ ", *s.p))
		s = mp_str_skip(s, 1);
	l->has_dur = s.len > 0;
	if (!s.len)
		return true;
	if (!mp_str_ends(s, MP_STR(" us")))
		return false;
	s.len -= 3;
	return parse_us(mp_import_trim(s), &l->dur_ns);
}

static bool parse_line(struct mp_str s, struct line *l)
{
	struct mp_str text;
	size_t n, bar = mp_import_find(s, "|"), close = mp_import_find(s, ")");

	*l = (struct line){ .has_time = bar < close };
	if (l->has_time && (!column(&s, &text) || mp_import_time(text, &l->time_ns) < 0))
		return false;
	while (s.len && *s.p == ' ')
		s = mp_str_skip(s, 1);
	n = mp_import_digits(s);
	if (!n || n > 4 || n >= s.len || s.p[n] != ')' ||
	    mp_num_u64((struct mp_str){ s.p, n }, &l->cpu) < 0 || l->cpu >= CPUS_MAX)
		return false;
	s = mp_str_skip(s, n + 1);
	if (!column(&s, &text))
		return false;
	if (!parse_duration(text, l)) {
		l->task = text;
		if (!column(&s, &text) || !parse_duration(text, l))
			return false;
	}
	l->call = mp_import_trim(s);
	return l->call.len > 0;
}

static struct cpu *cpu_of(struct state *s, uint64_t n)
{
	if (!s->cpus[n])
		s->cpus[n] = mp_zalloc(sizeof(**s->cpus));
	return s->cpus[n];
}

static void close_calls(struct cpu *c)
{
	while (c->depth)
		free((char *)c->open[--c->depth].p);
}

static void set_task(struct cpu *c, struct mp_str task)
{
	task.len = MP_MIN(task.len, (size_t)NAME_LENGTH);
	if (mp_str_eq(mp_buf_view(&c->task), task))
		return;
	close_calls(c);
	c->task.len = 0;
	mp_buf_str(&c->task, task);
}

/* Writes the call whose name is the innermost one. */
static void put(struct state *s, const struct line *l, struct cpu *c, struct mp_str name)
{
	struct mp_str task = mp_buf_view(&c->task), comm = task;
	size_t n = mp_import_digits_start(task, task.len), i;
	struct mp_import *im = s->im;
	char cpu[MP_NUM_MAX];

	mp_import_event(im, l->has_time ? l->time_ns : s->calls++, MP_STR("function"));
	mp_import_field(im, "cpu", (struct mp_str){ cpu, mp_put_u64(cpu, l->cpu) - cpu });
	if (n < task.len && n && task.p[n - 1] == '-') {
		mp_import_number(im, "tid", mp_str_skip(task, n));
		comm.len = n - 1;
		mp_import_field(im, "comm", comm);
	}
	mp_import_field(im, ".ip", name);
	mp_import_integer(im, "dur", (int64_t)l->dur_ns);
	mp_import_frame_name(&s->frames, name, MP_MARK_KERNEL);
	for (i = c->depth; i > 0; i--)
		mp_import_frame_name(&s->frames, c->open[i - 1], MP_MARK_KERNEL);
	mp_import_stack(im, &s->frames);
	mp_import_write(im);
}

/* "f();", "f() {", "}" or "} /" "* f *" "/" */
static void handle(struct state *s, struct line *l)
{
	struct cpu *c = cpu_of(s, l->cpu);
	struct mp_str name = { l->call.p, mp_import_find(l->call, "(") };
	struct mp_str last;

	if (l->task.len)
		set_task(c, l->task);
	if (*l->call.p == '}') {
		if (!c->depth || !l->has_dur) {
			mp_import_skip(s->im, MP_STR("unmatched-ends"));
			return;
		}
		last = c->open[--c->depth];
		put(s, l, c, last);
		free((char *)last.p);
	} else if (mp_str_ends(l->call, MP_STR("{"))) {
		if (c->depth == DEPTH_MAX)
			close_calls(c);
		name.len = MP_MIN(name.len, (size_t)NAME_LENGTH);
		c->open[c->depth++] =
			(struct mp_str){ mp_memdup(name.p, name.len ? name.len : 1), name.len };
	} else if (mp_str_ends(l->call, MP_STR(";")) && l->has_dur) {
		/* a leaf ends in its only line, whose time is that of its begin */
		l->time_ns += l->dur_ns;
		put(s, l, c, name);
	} else {
		mp_import_skip(s->im, MP_STR("other-events"));
	}
}

/* " 0)  bash-12  =>  sh-13": another thread runs, whose calls have begun earlier. */
static bool is_switch(struct state *s, struct mp_str line)
{
	size_t arrow, n;
	uint64_t cpu;

	line = mp_import_trim(line);
	n = mp_import_digits(line);
	if (!n || n > 4 || n >= line.len || line.p[n] != ')' ||
	    mp_num_u64((struct mp_str){ line.p, n }, &cpu) < 0 || cpu >= CPUS_MAX)
		return false;
	arrow = mp_import_find(line, " => ");
	if (arrow == line.len)
		return false;
	set_task(cpu_of(s, cpu), mp_import_trim(mp_str_skip(line, arrow + 4)));
	return true;
}

/* Comments, lines around a switch, and arrows where an interrupt begins and ends. */
static bool is_comment(struct mp_str line)
{
	return !line.len || *line.p == '#' ||
	       mp_str_starts(mp_import_trim(line), MP_STR("-----")) ||
	       mp_str_ends(line, MP_STR("==========> |")) ||
	       mp_str_ends(line, MP_STR("<========== |"));
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im, .cpus = mp_zalloc(CPUS_MAX * sizeof(*s.cpus)) };
	struct mp_str text;
	struct line l;
	size_t i;

	im->source = "ftrace function_graph";
	mp_import_frames_init(&s.frames);
	while (mp_import_line(im, &text)) {
		if (is_comment(text))
			continue;
		if (parse_line(text, &l)) {
			mp_import_begin(im, MP_EVENT, l.has_time ? "ftrace" : "none");
			handle(&s, &l);
		} else if (!is_switch(&s, text)) {
			mp_import_bad(im, "not a line of a function graph");
		}
	}
	mp_import_begin(im, MP_EVENT, "none");
	for (i = 0; i < CPUS_MAX; i++) {
		if (!s.cpus[i])
			continue;
		close_calls(s.cpus[i]);
		mp_buf_release(&s.cpus[i]->task);
		free(s.cpus[i]);
	}
	free(s.cpus);
	mp_import_frames_release(&s.frames);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct line l;

	if (first && mp_str_starts(line, MP_STR("# tracer: function_graph")))
		return MP_IMPORT_CERTAIN;
	if (!parse_line(line, &l))
		return MP_IMPORT_UNLIKE;
	return mp_str_ends(l.call, MP_STR("() {")) || mp_str_ends(l.call, MP_STR("();")) ||
			       *l.call.p == '}'
		       ? MP_IMPORT_DISTINCT
		       : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_graph = { "graph", looks_like, NULL, parse };
