// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf script: for each sample a header (head.h), the frames of its stack on lines of their own,
 * leaf first, and an empty line. Without a stack the one frame is on the line of the header.
 */
#include "lib/import/fields.h"
#include "lib/import/format.h"
#include "lib/import/frames.h"
#include "lib/import/head.h"

struct perf {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct mp_perf_shape shape;
	bool known;	   /* `timed` and `shape` are known */
	bool timed;	   /* samples have times */
	bool bare;	   /* samples have no header: an empty line begins them */
	bool tabbed;	   /* all frames begin with a TAB */
	bool open;	   /* a sample is in im->line */
	bool after_record; /* the previous line was a PERF_RECORD_ one */
	uint64_t samples;
};

static const struct mp_perf_shape any_shape = { .tid_width = MP_PERF_TID_WIDTH };

/* --- samples --------------------------------------------------------------------------------- */

/* "sched:sched_switch" is a tracepoint, "cycles:u" is not. */
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

/* Adds what follows the event's name: an address, the text of a tracepoint, a single frame. */
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

/* --- lines that are not samples -------------------------------------------------------------- */

/* Handles "PERF_RECORD_LOST lost 12" and similar records as losses, and only counts all others. */
static void handle_record(struct perf *p, struct mp_str record, const struct mp_perf_head *h)
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
	mp_import_skip(p->im, (struct mp_str){ record.p, n });
	if (!mp_str_starts(record, MP_STR("PERF_RECORD_LOST")))
		return;
	at = memmem(record.p, record.len, "lost ", 5);
	if (at) {
		digits = mp_str_skip(record, at + 5 - record.p);
		digits.len = mp_import_digits(digits);
	}
	if (mp_num_u64(digits, &lost) < 0 || lost > INT64_MAX) {
		mp_import_bad(p->im, "loss without a number of events");
		return;
	}
	if (h->time.p)
		mp_import_time(h->time, &time_ns);
	if (!h->cpu.p || mp_num_u64(h->cpu, &cpu) < 0)
		cpu = UINT64_MAX;
	mp_import_begin(p->im, MP_EVENT, p->timed ? "perf" : "none");
	mp_import_lost(p->im, lost, time_ns, cpu > INT32_MAX ? -1 : (int)cpu);
}

/* Handles "# hostname : web7", as perf script --header describes the machine. */
static void handle_comment(struct perf *p, struct mp_str line)
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

/* Where the address of a frame begins (blanks, an address, a blank or the end); else line.len. */
static size_t frame_start(struct mp_str line)
{
	size_t n = 0, start;

	while (n < line.len && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	start = n;
	while (n < line.len && mp_import_hex_digit(line.p[n]))
		n++;
	return n > start && n - start <= 16 && (n == line.len || line.p[n] == ' ') ? start
										   : line.len;
}

/*
 * Where the address of a frame as perf writes it begins (a TAB and a column); else 0. No header looks
 * like that, since the column is wider than a name.
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
		if (!mp_import_hex_digit(line.p[n]))
			return 0;
	return start <= MP_PERF_IP_WIDTH ? start : 0;
}

static void handle_frame(struct perf *p, struct mp_str text)
{
	if (!p->open && p->bare)
		begin_sample(p, &(struct mp_perf_head){ .tid_width = 0 });
	if (p->open)
		mp_import_frame(&p->frames, text);
	else
		mp_import_bad(p->im, "frame outside a sample");
}

static void handle_empty(struct perf *p)
{
	if (p->bare && !p->open)
		begin_sample(p, &(struct mp_perf_head){ .tid_width = 0 });
	else
		end_sample(p);
}

/* Handles a header without a time, if it has the columns that the others have. */
static bool handle_untimed(struct perf *p, struct mp_str line)
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

static void handle_timed(struct perf *p, const struct mp_perf_head *h)
{
	struct mp_str record = h->type.p ? h->type : mp_import_trim(h->text);

	p->timed = p->known = true;
	p->bare = false;
	if (!mp_str_starts(record, MP_STR("PERF_RECORD_")))
		begin_sample(p, h);
	else
		handle_record(p, (struct mp_str){ record.p, h->text.p + h->text.len - record.p },
			      h);
}

/* Handles a line that is neither empty nor a frame as perf writes it. */
static void handle_other(struct perf *p, struct mp_str line)
{
	bool after_record = p->after_record, only_comm;
	struct mp_perf_head h;
	size_t start;

	p->after_record = false;
	if ((p->timed || !p->known) && mp_import_timed_head(line, &h, &p->shape)) {
		handle_timed(p, &h);
		return;
	}
	if (mp_str_starts(line, MP_STR("PERF_RECORD_"))) {
		handle_record(p, line, &(struct mp_perf_head){ .tid_width = 0 });
		return;
	}
	if (*line.p == '#' && (p->timed || !p->samples)) {
		handle_comment(p, line);
		return;
	}
	if (after_record && *line.p == '\t') {
		p->after_record = true; /* the record continues */
		return;
	}
	only_comm = p->shape.no_tid && p->shape.no_cpu && p->shape.no_event;
	if (!p->timed && !p->bare && !only_comm && handle_untimed(p, line))
		return;
	start = p->tabbed ? line.len : frame_start(line);
	if (start < line.len && (p->open || p->bare || p->timed)) {
		handle_frame(p, mp_str_skip(line, start));
		return;
	}
	if (p->open && p->frames.n && (*line.p == ' ' || *line.p == '|'))
		return; /* a source line, branches or registers, from -F + */
	if (p->timed || p->bare || !only_comm || !handle_untimed(p, line))
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

/* What most headers have is a column; what few have is a name that looks like one. */
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
 * Finds the shape of the text from its first lines: whether most samples have a time (a thread's
 * name may look like one), and whether they have a header at all. Where frames have lines of their
 * own, headers are not padded, and a line that begins with a blank is something else.
 */
static void find_shape(struct perf *p)
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

static void parse(struct mp_import *im)
{
	struct perf p = { .im = im, .shape = any_shape };
	struct mp_str line;

	im->source = "perf script";
	mp_import_frames_init(&p.frames);
	find_shape(&p);
	while (mp_import_line(im, &line)) {
		size_t start = line.len ? tab_frame(line) : 0;

		if (start) {
			p.tabbed = true;
			handle_frame(&p, mp_str_skip(line, start));
		} else if (!line.len) {
			handle_empty(&p);
		} else {
			handle_other(&p, line);
		}
	}
	p.frames.truncated |= p.open && im->truncated;
	end_sample(&p);
	mp_import_begin(im, MP_EVENT, p.timed ? "perf" : "none");
	mp_import_frames_release(&p.frames);
}

/* A header with a time. */
static bool is_timed(struct mp_str line)
{
	struct mp_perf_head h;

	return mp_import_timed_head(line, &h, &any_shape) && h.comm.len <= MP_COMM_MAX;
}

/* A header without a time. */
static bool is_untimed(struct mp_str line)
{
	struct mp_perf_head h;

	mp_import_untimed_head(line, &h, &any_shape);
	if (h.type.p)
		return true;
	if (line.len <= MP_COMM_WIDTH || *line.p != ' ' || line.p[line.len - 1] != ' ')
		return false; /* not -F comm,tid */
	return h.tid.p && h.comm.p;
}

static bool is_frame(struct mp_str line)
{
	return tab_frame(line) || (line.len > 8 && *line.p == ' ' && frame_start(line) < line.len);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	if (first && mp_str_starts(line, MP_STR("# ========")))
		return MP_IMPORT_CERTAIN;
	if (is_timed(line))
		return MP_IMPORT_DISTINCT;
	if (is_frame(line) || is_untimed(line))
		return MP_IMPORT_POSSIBLE;
	return *line.p == '#' ? MP_IMPORT_COMMENT : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_perf = { "perf", looks_like, parse };
