// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf script: for each sample a header (import_head.h), the frames of its stack on lines of their
 * own, leaf first, and an empty line. Without a stack the one frame is on the line of the header.
 */
#include "lib/import/head.h"

struct perf {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct mp_perf_shape shape;
	bool known;	   /* whether they do */
	bool timed;	   /* samples have times */
	bool bare;	   /* samples have no header: an empty line begins them */
	bool tabbed;	   /* frames begin with a TAB: nothing else is one */
	bool open;	   /* a sample is in im->line */
	bool after_record; /* the line before was a PERF_RECORD_ one */
	uint64_t samples;
};

static const struct mp_perf_shape any_shape = { .tid_width = MP_PERF_TID_WIDTH };

static bool is_hex(char c)
{
	return mp_import_digit(c) || (c >= 'a' && c <= 'f');
}

/* --- samples --------------------------------------------------------------------------------- */

/* "cycles:u" is no tracepoint, "sched:sched_switch" is. */
static bool is_tracepoint(struct mp_str type)
{
	const char *colon = memchr(type.p, ':', type.len);
	size_t i;

	if (!colon || memchr(type.p, '/', type.len))
		return false;
	for (i = colon + 1 - type.p; i < type.len; i++)
		if (!strchr("ukhpPGHSDWIeb", type.p[i]))
			return true;
	return false;
}

/* Address, text of a tracepoint, single frame: what stands behind the event's name. */
static void add_text(struct perf *p, const struct mp_perf_head *h, struct mp_str type)
{
	struct mp_str text = h->text;
	bool trace = is_tracepoint(type);
	size_t ip = text.len;

	text.len = mp_import_without_blanks(text);
	if (!trace && mp_import_ip_ends_at(text, 1 + MP_PERF_IP_WIDTH) && text.p[0] == ' ') {
		struct mp_str addr =
			mp_import_trim((struct mp_str){ text.p, 1 + MP_PERF_IP_WIDTH });

		mp_import_hex(p->im, "addr", addr);
		text = mp_str_skip(text, 1 + MP_PERF_IP_WIDTH);
	}
	if (!trace || (text.len && text.p[text.len - 1] == ')'))
		ip = mp_import_find_ip(text);
	mp_import_payload(p->im, type, (struct mp_str){ text.p, MP_MIN(ip, text.len) });
	if (ip < text.len)
		mp_import_frame(&p->frames, mp_import_trim(mp_str_skip(text, ip)));
}

static void end_sample(struct perf *p)
{
	if (!p->open)
		return;
	mp_import_stack(p->im, &p->frames);
	mp_import_write(p->im);
	p->open = false;
	p->samples++;
}

static void begin_sample(struct perf *p, const struct mp_perf_head *h)
{
	struct mp_str type = h->type.p ? h->type : MP_STR("sample");
	struct mp_import *im = p->im;
	uint64_t time_ns;

	end_sample(p);
	time_ns = p->timed ? im->last_ns : p->samples;
	if (h->time.p && mp_import_time(h->time, &time_ns) < 0) {
		mp_import_bad(im, "time is out of range");
		return;
	}
	mp_import_begin(im, MP_EVENT, p->timed ? "perf" : "none");
	mp_import_event(im, time_ns, type);
	if (h->cpu.p)
		mp_import_number(im, "cpu", h->cpu);
	if (h->pid.p)
		mp_import_number(im, "pid", h->pid);
	if (h->tid.p)
		mp_import_number(im, "tid", h->tid);
	if (h->comm.p)
		mp_import_field(im, "comm", h->comm);
	if (h->period.p)
		mp_import_number(im, "period", h->period);
	if (h->tid.p && h->tid_width < p->shape.tid_width)
		p->shape.tid_width = MP_PERF_TID_WIDTH_OLD;
	add_text(p, h, type);
	p->open = true;
}

/* --- lines that are no samples --------------------------------------------------------------- */

/* "PERF_RECORD_LOST lost 12" and its like are losses, all others are only counted. */
static void take_record(struct perf *p, struct mp_str record, const struct mp_perf_head *h)
{
	struct mp_str digits = { record.p, 0 };
	uint64_t lost, time_ns = p->im->last_ns, cpu;
	const char *at;
	size_t n = 0;

	end_sample(p);
	p->after_record = true;
	while (n < record.len &&
	       (record.p[n] == '_' || (record.p[n] >= 'A' && record.p[n] <= 'Z') ||
		mp_import_digit(record.p[n])))
		n++;
	mp_import_passed(p->im, (struct mp_str){ record.p, n });
	if (!mp_str_starts(record, MP_STR("PERF_RECORD_LOST")))
		return;
	at = memmem(record.p, record.len, "lost ", 5);
	if (at) {
		digits.p = at + 5;
		while (digits.p + digits.len < record.p + record.len &&
		       mp_import_digit(digits.p[digits.len]))
			digits.len++;
	}
	if (mp_num_u64(digits, &lost) < 0 || lost > INT64_MAX) {
		mp_import_bad(p->im, "a loss without a number of events");
		return;
	}
	if (h->time.p)
		mp_import_time(h->time, &time_ns);
	if (!h->cpu.p || mp_num_u64(h->cpu, &cpu) < 0)
		cpu = UINT64_MAX;
	mp_import_begin(p->im, MP_EVENT, p->timed ? "perf" : "none");
	mp_import_lost(p->im, lost, time_ns, cpu > INT32_MAX ? -1 : (int)cpu);
}

/* "# hostname : web7": what perf script --header says of the machine. */
static void take_comment(struct perf *p, struct mp_str line)
{
	static const struct {
		const char *name, *key;
	} known[] = {
		{ "hostname", "host" },	     { "os release", "kernel" }, { "arch", "machine" },
		{ "nrcpus online", "cpus" }, { "cmdline", "command" },
	};
	const char *colon = memchr(line.p, ':', line.len);
	struct mp_str name, value;
	uint64_t number;
	size_t i;

	if (!colon || p->im->open)
		return;
	name = mp_import_trim((struct mp_str){ line.p + 1, colon - line.p - 1 });
	value = mp_import_trim((struct mp_str){ colon + 1, line.p + line.len - colon - 1 });
	for (i = 0; i < MP_ARRAY_SIZE(known); i++) {
		json_t *json = NULL;

		if (!mp_str_eq(name, mp_str(known[i].name)))
			continue;
		if (i == 3 && (mp_num_u64(value, &number) < 0 || number > INT32_MAX))
			continue;
		json = i == 3 ? json_integer((json_int_t)number) : mp_ctl_string(value);
		if (i == 4)
			json = json_pack("[o]", json);
		mp_import_origin(p->im, known[i].key, json);
	}
}

/* --- lines ----------------------------------------------------------------------------------- */

/* A frame: blanks, an address alone or in front of a blank. Returns where the address begins. */
static size_t frame_start(struct mp_str line)
{
	size_t n = 0, start;

	while (n < line.len && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	start = n;
	while (n < line.len && is_hex(line.p[n]))
		n++;
	return n > start && n - start <= 16 && (n == line.len || line.p[n] == ' ') ? start
										   : line.len;
}

/*
 * A frame as perf writes it, a TAB and a column: where its address begins, else 0. No header can look
 * so, since the column is wider than a name.
 */
static size_t tab_frame(struct mp_str line)
{
	size_t n = 1, start;

	if (line.len <= MP_PERF_IP_WIDTH || *line.p != '\t' ||
	    (line.len > MP_PERF_IP_WIDTH + 1 && line.p[MP_PERF_IP_WIDTH + 1] != ' '))
		return 0;
	while (n <= MP_PERF_IP_WIDTH && line.p[n] == ' ')
		n++;
	for (start = n; n <= MP_PERF_IP_WIDTH; n++)
		if (!is_hex(line.p[n]))
			return 0;
	return start <= MP_PERF_IP_WIDTH ? start : 0;
}

static void take_frame(struct perf *p, struct mp_str text)
{
	if (!p->open && p->bare)
		begin_sample(p, &(struct mp_perf_head){ .tid_width = 0 });
	if (p->open)
		mp_import_frame(&p->frames, text);
	else
		mp_import_bad(p->im, "a frame that belongs to no sample");
}

static void take_empty(struct perf *p)
{
	if (p->bare && !p->open)
		begin_sample(p, &(struct mp_perf_head){ .tid_width = 0 });
	else
		end_sample(p);
}

/* A header without a time, if it has the columns that the others have. */
static bool take_untimed(struct perf *p, struct mp_str line)
{
	const struct mp_perf_shape *shape = &p->shape;
	struct mp_perf_head h;

	mp_import_untimed_head(line, &h, shape);
	if (!p->known)
		p->shape =
			(struct mp_perf_shape){ shape->tid_width, !h.tid.p, !h.cpu.p, !h.type.p };
	p->known = true;
	if (!h.tid.p != shape->no_tid || !h.cpu.p != shape->no_cpu || !h.type.p != shape->no_event)
		return false;
	begin_sample(p, &h);
	return true;
}

static void take_timed(struct perf *p, const struct mp_perf_head *h)
{
	struct mp_str record = h->type.p ? h->type : mp_import_trim(h->text);

	p->timed = p->known = true;
	p->bare = false;
	if (!mp_str_starts(record, MP_STR("PERF_RECORD_")))
		begin_sample(p, h);
	else
		take_record(p, (struct mp_str){ record.p, h->text.p + h->text.len - record.p }, h);
}

/* A line that is neither empty nor a frame as perf writes it. */
static void take_other(struct perf *p, struct mp_str line)
{
	bool after_record = p->after_record, only_comm;
	struct mp_perf_head h;
	size_t start;

	p->after_record = false;
	if ((p->timed || !p->known) && mp_import_timed_head(line, &h, &p->shape)) {
		take_timed(p, &h);
		return;
	}
	if (mp_str_starts(line, MP_STR("PERF_RECORD_"))) {
		take_record(p, line, &(struct mp_perf_head){ .tid_width = 0 });
		return;
	}
	if (*line.p == '#' && (p->timed || !p->samples)) {
		take_comment(p, line);
		return;
	}
	if (after_record && *line.p == '\t') {
		p->after_record = true; /* more of it */
		return;
	}
	only_comm = p->shape.no_tid && p->shape.no_cpu && p->shape.no_event;
	if (!p->timed && !p->bare && !only_comm && take_untimed(p, line))
		return;
	start = p->tabbed ? line.len : frame_start(line);
	if (start < line.len && (p->open || p->bare || p->timed)) {
		take_frame(p, mp_str_skip(line, start));
		return;
	}
	if (p->open && p->frames.n && (*line.p == ' ' || *line.p == '|'))
		return; /* a source line, branches, registers: asked for by -F + */
	if (p->timed || p->bare || !only_comm || !take_untimed(p, line))
		mp_import_bad(p->im, "neither a sample nor a frame");
}

/* How many headers there are and what they have. */
struct census {
	size_t heads, timed, tid, cpu, event;
};

static void count_head(struct census *c, struct mp_str line)
{
	struct mp_perf_head h;

	if (mp_import_timed_head(line, &h, &any_shape))
		c->timed++;
	else if (frame_start(line) < line.len)
		return;
	else
		mp_import_untimed_head(line, &h, &any_shape);
	c->heads++;
	c->tid += h.tid.p != NULL;
	c->cpu += h.cpu.p != NULL;
	c->event += h.type.p != NULL;
}

/* What most headers have is a column, what few have is a name that looks like one. */
static void set_shape(struct perf *p, const struct census *c)
{
	p->timed = 2 * c->timed > c->heads;
	p->known = c->heads || p->bare;
	p->bare = p->bare && !p->timed;
	p->shape.no_tid = 2 * c->tid < c->heads;
	p->shape.no_cpu = 2 * c->cpu < c->heads;
	p->shape.no_event = 2 * c->event < c->heads;
}

/*
 * Which shape the text has, by what is at hand of it: whether most samples have a time (a thread's
 * name may look like one), and whether they have a header at all. Where frames have lines of their
 * own headers are not padded, and a line that begins with a blank is something else.
 */
static void look(struct perf *p)
{
	struct census plain = { .heads = 0 }, padded = { .heads = 0 };
	const char *data, *end, *lf;
	size_t len = mp_in_peek(&p->im->in, &data);
	bool first = true, tabbed = false;

	for (end = data + len; (lf = memchr(data, '\n', end - data)); data = lf + 1) {
		struct mp_str line = { data, lf - data };

		line.len -= line.len && line.p[line.len - 1] == '\r';
		if (first && line.len && *line.p == '#')
			continue;
		tabbed |= tab_frame(line) > 0;
		if (first)
			p->bare = !line.len || tabbed;
		first = false;
		if (line.len && *line.p != '\t')
			count_head(*line.p == ' ' ? &padded : &plain, line);
	}
	if (!tabbed) {
		plain.heads += padded.heads;
		plain.timed += padded.timed;
		plain.tid += padded.tid;
		plain.cpu += padded.cpu;
		plain.event += padded.event;
	}
	set_shape(p, &plain);
}

void mp_import_perf(struct mp_import *im)
{
	struct perf p = { .im = im, .shape = any_shape };
	struct mp_str line;

	im->source = "perf script";
	mp_import_frames_init(&p.frames);
	look(&p);
	while (mp_import_line(im, &line)) {
		size_t start = line.len ? tab_frame(line) : 0;

		if (start) {
			p.tabbed = true;
			take_frame(&p, mp_str_skip(line, start));
		} else if (!line.len) {
			take_empty(&p);
		} else {
			take_other(&p, line);
		}
	}
	p.frames.cut |= p.open && im->cut_off;
	end_sample(&p);
	mp_import_begin(im, MP_EVENT, p.timed ? "perf" : "none");
	mp_import_frames_release(&p.frames);
}

bool mp_import_is_perf(struct mp_str line)
{
	struct mp_perf_head h;

	return mp_import_timed_head(line, &h, &any_shape) && h.comm.len <= MP_COMM_MAX;
}

bool mp_import_is_sample(struct mp_str line)
{
	struct mp_perf_head h;

	mp_import_untimed_head(line, &h, &any_shape);
	if (h.type.p)
		return true;
	if (line.len <= MP_COMM_WIDTH || *line.p != ' ' || line.p[line.len - 1] != ' ')
		return false; /* not -F comm,tid */
	return h.tid.p && h.comm.p;
}

bool mp_import_is_frame(struct mp_str line)
{
	return tab_frame(line) || (line.len > 8 && *line.p == ' ' && frame_start(line) < line.len);
}
