// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf script. A sample is a line "COMM TID [CPU] TIME: PERIOD EVENT: TEXT", any part of which -F may
 * leave out, the frames of its stack on lines of their own, leaf first, and an empty line. COMM may
 * hold anything, so the line is read from the right: from the time to the CPU, the thread and what is
 * left. Of several places that look like a time, the right one is the last before which a name of at
 * most 15 bytes is left, since the columns behind a name are wider than that.
 *
 * The columns are those of tools/perf/builtin-script.c and tools/perf/util/evsel_fprintf.c.
 */
#include <stdlib.h>

#include "lib/import.h"

enum {
	COMM_MAX = 15,
	COMM_WIDTH = 16, /* of a padded name */
	TID_WIDTH = 7,	 /* of a thread's number since perf 6.2, before: */
	TID_WIDTH_OLD = 5,
	IP_WIDTH = 16,
	HEAD_MAX = 96, /* the time is found within so many bytes */
};

/* The header of a sample; what it lacks has p == NULL. */
struct head {
	struct mp_str comm, pid, tid, cpu, time, period, type, text;
	size_t tid_width; /* of the column, as far as this line tells */
};

/* Which columns -F asked for, as far as most of the lines at hand tell. */
struct shape {
	size_t tid_width;
	bool no_tid, no_cpu, no_event;
};

struct perf {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct shape shape;
	bool known;	   /* whether they do */
	bool timed;	   /* samples have times */
	bool bare;	   /* samples have no header: an empty line begins them */
	bool tabbed;	   /* frames begin with a TAB: nothing else is one */
	bool open;	   /* a sample is in im->line */
	bool after_record; /* the line before was a PERF_RECORD_ one */
	uint64_t samples;
};

static const struct shape any_shape = { .tid_width = TID_WIDTH };

static bool is_hex(char c)
{
	return mp_import_digit(c) || (c >= 'a' && c <= 'f');
}

static bool starts_with(struct mp_str s, const char *head)
{
	size_t len = strlen(head);

	return s.len >= len && memcmp(s.p, head, len) == 0;
}

static struct mp_str skip(struct mp_str s, size_t n)
{
	return (struct mp_str){ s.p + n, s.len - n };
}

static size_t blanks(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && s.p[n] == ' ')
		n++;
	return n;
}

static size_t without_blanks(struct mp_str s)
{
	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return s.len;
}

/* --- the header, from the right -------------------------------------------------------------- */

/* Cuts "[CPU]" and the letters of -F misc behind it off the end of s. */
static void take_cpu(struct mp_str *s, struct head *h)
{
	size_t end = without_blanks(*s), n = end;

	while (n && strchr("KUHGMSE", s->p[n - 1]) && s->p[n - 1])
		n--;
	if (n < end && n && s->p[n - 1] == ' ') {
		n = without_blanks((struct mp_str){ s->p, n });
		if (n && s->p[n - 1] == ']')
			end = n;
	}
	if (!end || s->p[end - 1] != ']')
		return;
	for (n = end - 1; n && mp_import_digit(s->p[n - 1]); n--)
		;
	if (n == end - 1 || end - n > 8 || !n || s->p[n - 1] != '[' ||
	    (n > 1 && s->p[n - 2] != ' '))
		return;
	h->cpu = (struct mp_str){ s->p + n, end - 1 - n };
	s->len = n - 1;
}

/* Start of the number, perhaps negative, that ends at `end`; `end` if there is none. */
static size_t number_start(struct mp_str s, size_t end)
{
	size_t n = end;

	while (n && mp_import_digit(s.p[n - 1]))
		n--;
	if (n == end || end - n > 10)
		return end;
	return n && s.p[n - 1] == '-' ? n - 1 : n;
}

/* Cuts "TID" or "PID/TID" off the end of s with the blanks that pad its column. */
static bool take_tid(struct mp_str *s, struct head *h, size_t width)
{
	size_t end = without_blanks(*s), start = number_start(*s, end), n = end, pad;

	if (start == end)
		return false;
	h->tid = (struct mp_str){ s->p + start, end - start };
	if (start && s->p[start - 1] == '/') {
		n = start - 1;
		start = number_start(*s, n);
		if (start == n)
			return false;
		h->pid = (struct mp_str){ s->p + start, n - start };
	}
	if (start && s->p[start - 1] != ' ')
		return false;
	pad = start - without_blanks((struct mp_str){ s->p, start });
	h->tid_width = n - start + (pad ? pad - 1 : 0);
	if (h->tid_width < width)
		width = h->tid_width < TID_WIDTH_OLD ? h->tid_width : TID_WIDTH_OLD;
	width = MP_MAX(width, n - start);
	s->len = n > width ? n - width : 0;
	return true;
}

/* What stands before the time, or before the event where there is none. */
static void parse_left(struct mp_str s, struct head *h, const struct shape *shape)
{
	struct mp_str before = s;

	h->cpu = h->pid = h->tid = h->comm = (struct mp_str){ NULL, 0 };
	if (!shape->no_cpu)
		take_cpu(&s, h);
	if (!shape->no_tid && take_tid(&s, h, shape->tid_width)) {
		if (!s.len)
			return; /* no name was asked for */
		s.len--;	/* the blank behind a name */
	} else {
		h->pid = h->tid = (struct mp_str){ NULL, 0 };
		if (!without_blanks(s))
			return;
		s.len = MP_MAX(without_blanks(s), MP_MIN(s.len, (size_t)COMM_WIDTH));
		if (s.len < COMM_WIDTH)
			s.len = without_blanks(s);
	}
	if (s.len >= COMM_WIDTH)
		s = skip(s, blanks(s));
	h->comm = s.p ? s : (struct mp_str){ before.p, 0 };
}

/* Whether a time ends at the colon, "12.345678" or with nine digits behind the point. */
static bool time_at(struct mp_str line, size_t colon, struct mp_str *time)
{
	size_t n = colon, fraction;

	while (n && mp_import_digit(line.p[n - 1]))
		n--;
	fraction = colon - n;
	if ((fraction != 6 && fraction != 9) || n < 2 || line.p[n - 1] != '.')
		return false;
	for (n--; n && mp_import_digit(line.p[n - 1]); n--)
		;
	if (line.p[n] == '.' || (n && line.p[n - 1] != ' '))
		return false;
	*time = (struct mp_str){ line.p + n, colon - n };
	return colon + 1 == line.len || line.p[colon + 1] == ' ';
}

static bool find_time(struct mp_str line, struct head *h, const struct shape *shape)
{
	const char *end = line.p + MP_MIN(line.len, (size_t)HEAD_MAX), *p = line.p;
	struct head candidate = { .tid_width = 0 };
	bool found = false;

	while ((p = memchr(p, ':', end - p))) {
		if (time_at(line, p - line.p, &candidate.time)) {
			parse_left((struct mp_str){ line.p, candidate.time.p - line.p }, &candidate,
				   shape);
			if (found && candidate.comm.len > COMM_MAX)
				break;
			*h = candidate;
			found = true;
			if (candidate.comm.len > COMM_MAX)
				break;
		}
		p++;
	}
	return found;
}

/* Length of the event's name that s begins with, up to its colon; 0: there is none. */
static size_t name_length(struct mp_str s)
{
	size_t n = starts_with(s, "raw 0x") ? 4 : 0;

	for (; n < s.len && s.p[n] != ' '; n++) {
		if (s.p[n] != ':' || (n + 1 < s.len && s.p[n + 1] != ' '))
			continue;
		return memchr(s.p, '=', n) && !memchr(s.p, '/', n) ? 0 : n;
	}
	return 0;
}

/* What stands behind the time: period, event, text. */
static void parse_right(struct mp_str s, struct head *h)
{
	size_t at = blanks(s), n = at, name;

	h->period = h->type = (struct mp_str){ NULL, 0 };
	h->text = s;
	while (n < s.len && mp_import_digit(s.p[n]))
		n++;
	if (n > at && n - at <= 19 && (n == s.len || s.p[n] == ' ')) {
		size_t behind = n + blanks(skip(s, n));

		if (behind == s.len || name_length(skip(s, behind))) {
			h->period = (struct mp_str){ s.p + at, n - at };
			at = behind;
			h->text = skip(s, at);
		}
	}
	name = name_length(skip(s, at));
	if (name) {
		h->type = (struct mp_str){ s.p + at, name };
		h->text = skip(s, at + name + 1);
	}
}

static bool timed_head(struct mp_str line, struct head *h, const struct shape *shape)
{
	if (!find_time(line, h, shape))
		return false;
	parse_right(skip(line, h->time.p + h->time.len + 1 - line.p), h);
	return true;
}

/* Whether a column of an address ends at `end`: IP_WIDTH bytes, padded on the left. */
static bool ip_ends_at(struct mp_str s, size_t end)
{
	size_t n = end;

	if (end < IP_WIDTH || end > s.len || (end < s.len && s.p[end] != ' '))
		return false;
	while (n > end - IP_WIDTH && is_hex(s.p[n - 1]))
		n--;
	if (n == end)
		return false;
	while (n > end - IP_WIDTH && s.p[n - 1] == ' ')
		n--;
	return n == end - IP_WIDTH;
}

/* Where the column of a single frame begins in s, behind a blank; s.len if there is none. */
static size_t find_ip(struct mp_str s, size_t from)
{
	size_t i;

	for (i = from; i + IP_WIDTH < s.len; i++)
		if (s.p[i] == ' ' && ip_ends_at(s, i + 1 + IP_WIDTH))
			return i + 1;
	return s.len;
}

static bool is_letter(char c)
{
	return ((unsigned char)c | 0x20) >= 'a' && ((unsigned char)c | 0x20) <= 'z';
}

/* Takes a period off the end of what stands before an event: "12 250000" or "[000] 250000". */
static struct mp_str cut_period(struct mp_str s, struct head *h)
{
	size_t end = without_blanks(s), start = number_start(s, end), n;

	h->period = (struct mp_str){ NULL, 0 };
	if (start == end || end < 10)
		return s;
	n = without_blanks((struct mp_str){ s.p, start });
	if (!n || n == start || (s.p[n - 1] != ']' && (end - n < 10 || number_start(s, n) == n)))
		return s;
	h->period = (struct mp_str){ s.p + start, end - start };
	return (struct mp_str){ s.p, n + 1 };
}

/*
 * A header without a time. Where several places look like an event, the first is taken that has a
 * thread's number in its column before it.
 */
static bool untimed_event(struct mp_str line, struct head *h, const struct shape *shape)
{
	bool found = false;
	size_t i;

	for (i = 0; i < line.len && i < HEAD_MAX; i++) {
		struct head candidate = { .tid_width = 0 };
		size_t n;

		if (!is_letter(line.p[i]) || (i && line.p[i - 1] != ' '))
			continue;
		n = name_length(skip(line, i));
		if (!n)
			continue;
		parse_left(cut_period((struct mp_str){ line.p, i }, &candidate), &candidate, shape);
		candidate.type = (struct mp_str){ line.p + i, n };
		candidate.text = skip(line, i + n + 1);
		if (!found)
			*h = candidate;
		found = true;
		if (candidate.tid.p && candidate.tid_width >= TID_WIDTH_OLD) {
			*h = candidate;
			break;
		}
	}
	return found;
}

static void untimed_head(struct mp_str line, struct head *h, const struct shape *shape)
{
	size_t ip;

	*h = (struct head){ .tid_width = 0 };
	if (!shape->no_event && untimed_event(line, h, shape))
		return;
	ip = find_ip(line, 0);
	if (ip == line.len && ip_ends_at(line, IP_WIDTH + 1))
		ip = 1;
	parse_left((struct mp_str){ line.p, ip }, h, shape);
	if (ip < line.len && !h->tid.p) { /* a name of blanks: the number is no address */
		struct head whole = *h;

		parse_left(line, &whole, shape);
		if (whole.tid.p) {
			*h = whole;
			return;
		}
	}
	if (ip < line.len)
		h->text = skip(line, ip - 1);
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
static void add_text(struct perf *p, const struct head *h, struct mp_str type)
{
	struct mp_str text = h->text;
	bool trace = is_tracepoint(type);
	size_t ip = text.len;

	text.len = without_blanks(text);
	if (!trace && ip_ends_at(text, 1 + IP_WIDTH) && text.p[0] == ' ') {
		struct mp_str addr = mp_import_trim((struct mp_str){ text.p, 1 + IP_WIDTH });

		mp_import_hex(p->im, "addr", addr);
		text = skip(text, 1 + IP_WIDTH);
	}
	if (!trace || (text.len && text.p[text.len - 1] == ')'))
		ip = find_ip(text, 0);
	mp_import_payload(p->im, type, (struct mp_str){ text.p, MP_MIN(ip, text.len) });
	if (ip < text.len)
		mp_import_frame(&p->frames, mp_import_trim(skip(text, ip)));
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

static void begin_sample(struct perf *p, const struct head *h)
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
		p->shape.tid_width = TID_WIDTH_OLD;
	add_text(p, h, type);
	p->open = true;
}

/* --- lines that are no samples --------------------------------------------------------------- */

/* "PERF_RECORD_LOST lost 12" and its like are losses, all others are only counted. */
static void take_record(struct perf *p, struct mp_str record, const struct head *h)
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
	if (!starts_with(record, "PERF_RECORD_LOST"))
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

	if (line.len <= IP_WIDTH || *line.p != '\t' ||
	    (line.len > IP_WIDTH + 1 && line.p[IP_WIDTH + 1] != ' '))
		return 0;
	while (n <= IP_WIDTH && line.p[n] == ' ')
		n++;
	for (start = n; n <= IP_WIDTH; n++)
		if (!is_hex(line.p[n]))
			return 0;
	return start <= IP_WIDTH ? start : 0;
}

static void take_frame(struct perf *p, struct mp_str text)
{
	if (!p->open && p->bare)
		begin_sample(p, &(struct head){ .tid_width = 0 });
	if (p->open)
		mp_import_frame(&p->frames, text);
	else
		mp_import_bad(p->im, "a frame that belongs to no sample");
}

static void take_empty(struct perf *p)
{
	if (p->bare && !p->open)
		begin_sample(p, &(struct head){ .tid_width = 0 });
	else
		end_sample(p);
}

/* A header without a time, if it has the columns that the others have. */
static bool take_untimed(struct perf *p, struct mp_str line)
{
	const struct shape *shape = &p->shape;
	struct head h;

	untimed_head(line, &h, shape);
	if (!p->known)
		p->shape = (struct shape){ shape->tid_width, !h.tid.p, !h.cpu.p, !h.type.p };
	p->known = true;
	if (!h.tid.p != shape->no_tid || !h.cpu.p != shape->no_cpu || !h.type.p != shape->no_event)
		return false;
	begin_sample(p, &h);
	return true;
}

static void take_timed(struct perf *p, const struct head *h)
{
	struct mp_str record = h->type.p ? h->type : mp_import_trim(h->text);

	p->timed = p->known = true;
	p->bare = false;
	if (!starts_with(record, "PERF_RECORD_"))
		begin_sample(p, h);
	else
		take_record(p, (struct mp_str){ record.p, h->text.p + h->text.len - record.p }, h);
}

/* A line that is neither empty nor a frame as perf writes it. */
static void take_other(struct perf *p, struct mp_str line)
{
	bool after_record = p->after_record, only_comm;
	struct head h;
	size_t start;

	p->after_record = false;
	if ((p->timed || !p->known) && timed_head(line, &h, &p->shape)) {
		take_timed(p, &h);
		return;
	}
	if (starts_with(line, "PERF_RECORD_")) {
		take_record(p, line, &(struct head){ .tid_width = 0 });
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
		take_frame(p, skip(line, start));
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
	struct head h;

	if (timed_head(line, &h, &any_shape))
		c->timed++;
	else if (frame_start(line) < line.len)
		return;
	else
		untimed_head(line, &h, &any_shape);
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
			take_frame(&p, skip(line, start));
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
	struct head h;

	return timed_head(line, &h, &any_shape) && h.comm.len <= COMM_MAX;
}

bool mp_import_is_sample(struct mp_str line)
{
	struct head h;

	if (untimed_event(line, &h, &any_shape))
		return true;
	if (line.len <= COMM_WIDTH || *line.p != ' ' || line.p[line.len - 1] != ' ')
		return false;
	parse_left(line, &h, &any_shape); /* -F comm,tid */
	return h.tid.p && h.comm.p;
}

bool mp_import_is_frame(struct mp_str line)
{
	return tab_frame(line) || (line.len > 8 && *line.p == ' ' && frame_start(line) < line.len);
}
