// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf script: for each sample a header (head.h), the frames of its stack on lines of their own,
 * leaf first, and an empty line. Without a stack the one frame is on the line of the header.
 */
#include "lib/import/columns.h"
#include "lib/import/fields.h"
#include "lib/import/format.h"
#include "lib/import/frames.h"

struct perf {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct mp_import_columns columns;
	bool timed;	   /* samples have times */
	bool bare;	   /* samples have no header: an empty line begins them */
	bool tabbed;	   /* all frames begin with a TAB */
	bool open;	   /* im->line has an unfinished sample */
	bool after_record; /* the previous line was a PERF_RECORD_ line */
	uint64_t samples;
	/*
	 * the first time is 0: then perf sorts by time, and a time that goes back is a difference
	 */
	bool from_zero;
};

enum { HEADS_MAX = 1000 }; /* number of lines from which the columns are learned */

#define TARGET " => " /* between the source of a branch and its target */

static const char deltas[] = "the times are differences (run perf script without --deltatime)";

/* --- samples ---------------------------------------------------------------------------------- */

/* Where " => ADDRESS", the target of a branch, begins in s; s.len if there is none. */
static size_t find_target(struct mp_str s)
{
	size_t at = mp_import_find(s, TARGET), n = sizeof(TARGET) - 1;

	return mp_import_ip_ends_at(mp_str_skip(s, MP_MIN(at + n, s.len)), MP_PERF_IP_WIDTH)
		       ? at
		       : s.len;
}

/* Adds the target of a branch as .to, the function, and addr. */
static void add_target(struct perf *p, struct mp_str target)
{
	struct mp_str frame = mp_import_trim(mp_str_skip(target, sizeof(TARGET) - 1));
	struct mp_str addr = { frame.p, mp_import_find(frame, " ") };

	mp_import_hex(p->im, "addr", addr);
	mp_import_field(p->im, ".to", MP_STR(""));
	mp_buf_str(&p->im->line, mp_import_frame_text(&p->frames, frame));
}

/*
 * Adds what follows the event's name: an address, the text of a tracepoint, the kind of a branch, a
 * single frame, the target of a branch.
 */
static void add_text(struct perf *p, const struct mp_perf_head *h, struct mp_str type)
{
	struct mp_str text = h->text, target = { NULL, 0 };
	bool trace = mp_import_is_tracepoint(type);
	size_t ip;

	if (!mp_import_without_blanks(text))
		return;
	if (!trace) {
		ip = find_target(text);
		target = mp_str_skip(text, ip);
		text.len = ip;
	}
	ip = text.len = mp_import_without_blanks(text);
	/* columns without a time and an event are followed by one more blank, or have no address */
	if (!trace && (h->time.p || h->type.p) &&
	    mp_import_ip_ends_at(text, 1 + MP_PERF_IP_WIDTH) && text.p[0] == ' ') {
		struct mp_str addr =
			mp_import_trim((struct mp_str){ text.p, 1 + MP_PERF_IP_WIDTH });

		mp_import_hex(p->im, "addr", addr);
		text = mp_str_skip(text, 1 + MP_PERF_IP_WIDTH);
	}
	if (!trace || (text.len && text.p[text.len - 1] == ')'))
		ip = mp_import_find_ip(text);
	if (target.len) {
		struct mp_str flags = mp_import_trim((struct mp_str){ text.p, ip });

		if (flags.len)
			mp_import_field(p->im, ".flags", flags);
		add_target(p, target);
	} else {
		mp_import_payload(p->im, type, (struct mp_str){ text.p, ip });
	}
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
	im->untimed += p->timed && !h->time.p;
	if (h->time.p && mp_import_time(h->time, &time_ns) < 0) {
		mp_import_bad(im, "time is out of range");
		return;
	}
	if (p->from_zero && time_ns < im->last_ns) {
		mp_import_refuse(im, deltas);
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
	add_text(p, h, type);
	p->open = true;
}

/* --- lines that are not samples --------------------------------------------------------------- */

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

/* --- lines ------------------------------------------------------------------------------------ */

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
 * Where the address of a frame as perf writes it begins (a TAB and a column); else 0. No header
 * looks like that, since the column is wider than a thread's name can be.
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
		begin_sample(p, &(struct mp_perf_head){ .shape = 0 });
	if (p->open)
		mp_import_frame(&p->frames, text);
	else
		mp_import_bad(p->im, "frame outside a sample");
}

static void handle_empty(struct perf *p)
{
	if (p->bare && !p->open)
		begin_sample(p, &(struct mp_perf_head){ .shape = 0 });
	else
		end_sample(p);
}

/* The text after the columns, which begins with the type of an event or of a record. */
static struct mp_str type_of(const struct mp_perf_head *h)
{
	return h->type.p ? h->type : mp_import_trim(h->text);
}

/* Whether it is a record of a task or of a loss, not a sample. */
static bool is_record(struct mp_str type)
{
	return mp_str_starts(type, MP_STR("PERF_RECORD_"));
}

static void handle_timed(struct perf *p, const struct mp_perf_head *h)
{
	struct mp_str record = type_of(h);

	if (!is_record(record))
		begin_sample(p, h);
	else
		handle_record(p, (struct mp_str){ record.p, h->text.p + h->text.len - record.p },
			      h);
}

/* Handles a line that is neither empty nor a frame as perf writes it. */
static void handle_other(struct perf *p, struct mp_str line)
{
	bool after_record = p->after_record, head;
	struct mp_perf_head h;
	size_t start;

	p->after_record = false;
	head = !p->bare && mp_import_columns_read(&p->columns, line, &h);
	if (head && h.time.p) {
		handle_timed(p, &h);
		return;
	}
	if (is_record(line)) {
		handle_record(p, line, &(struct mp_perf_head){ .shape = 0 });
		return;
	}
	if (*line.p == '#' && (p->timed || !p->samples)) {
		handle_comment(p, line);
		return;
	}
	if (after_record && *line.p == '\t') {
		p->after_record = true; /* continues the record of the line above */
		return;
	}
	if (head && (h.comm.p || h.tid.p || h.cpu.p || h.type.p || !p->timed)) {
		begin_sample(p, &h);
		return;
	}
	start = p->tabbed ? line.len : frame_start(line);
	if (p->open && mp_str_starts(line, MP_STR(TARGET)) && find_target(line) == 0)
		add_target(p, line);
	else if (start < line.len && (p->open || p->bare || p->timed))
		handle_frame(p, mp_str_skip(line, start));
	else if (!p->open || !p->frames.n || (*line.p != ' ' && *line.p != '|'))
		mp_import_bad(p->im, "neither a sample nor a frame");
	/* any other line is a source line, branches or registers, which -F + adds */
}

/* The next of the first lines that is not a frame; false if there is none. */
static bool next_head(const char **data, const char *end, struct mp_str *line)
{
	const char *lf;

	while ((lf = memchr(*data, '\n', end - *data))) {
		*line = (struct mp_str){ *data, lf - *data };
		line->len -= line->len && line->p[line->len - 1] == '\r';
		*data = lf + 1;
		if (line->len && *line->p != '\t')
			return true;
	}
	return false;
}

/*
 * Whether the times of the first samples are differences: perf sorts times. The records that perf
 * makes of what already runs have the time 0.
 */
static bool are_deltas(struct perf *p, const char *data, const char *end)
{
	uint64_t time_ns, last_ns = 0, first_ns = 0, steps = 0, back = 0;
	struct mp_perf_head h;
	struct mp_str line;

	while (steps < HEADS_MAX && next_head(&data, end, &line)) {
		if (!mp_import_columns_read(&p->columns, line, &h) || !h.time.p ||
		    mp_import_time(h.time, &time_ns) < 0 || is_record(type_of(&h)))
			continue;
		if (!steps++)
			first_ns = time_ns;
		back += time_ns < last_ns;
		last_ns = time_ns;
	}
	p->from_zero = steps && !first_ns;
	return (p->from_zero && back) || 4 * back > steps;
}

/*
 * Learns from the first lines which columns the samples have, and whether they have a header at
 * all. Where frames have lines of their own, a header may be an empty line.
 */
static void learn(struct perf *p)
{
	const char *data, *start, *end;
	size_t len = mp_in_peek(&p->im->in, MP_IMPORT_LOOK, &start), heads = 0;
	struct mp_str line;

	end = start + len;
	while (len && *start == '#' && (data = memchr(start, '\n', end - start)))
		start = data + 1; /* skip comments */
	p->bare = start < end && (memchr("\r\n", *start, 2) || *start == '\t');
	for (data = start; heads < HEADS_MAX && next_head(&data, end, &line); heads++)
		mp_import_columns_learn(&p->columns, line);
	mp_import_columns_learned(&p->columns);
	p->bare = p->bare && !(p->columns.timed && p->columns.heads);
	p->timed = p->columns.timed && !p->bare;
	if (p->timed && are_deltas(p, start, end))
		mp_import_refuse(p->im, deltas);
}

static void parse(struct mp_import *im)
{
	struct perf p = { .im = im };
	struct mp_str line;

	im->source = "perf script";
	mp_import_frames_init(&p.frames);
	mp_import_columns_init(&p.columns);
	learn(&p);
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
	if (!im->refused)
		mp_import_begin(im, MP_EVENT, p.timed ? "perf" : "none");
	mp_import_frames_release(&p.frames);
	mp_import_columns_release(&p.columns);
}

/* a hexadecimal number needs this many digits to be taken for an address */
enum { ADDRESS_MIN = 6 };

/*
 * How likely it is that the text that follows the columns is a frame. Digits alone may be any
 * number, and perf pads addresses with blanks, not with zeros.
 */
static enum mp_import_likeness frame_likeness(struct mp_str text)
{
	struct mp_str addr;

	if (text.len <= MP_PERF_IP_WIDTH || !mp_import_ip_ends_at(text, 1 + MP_PERF_IP_WIDTH) ||
	    text.p[1 + MP_PERF_IP_WIDTH - ADDRESS_MIN] == ' ')
		return MP_IMPORT_UNLIKE;
	addr = mp_import_trim((struct mp_str){ text.p, 1 + MP_PERF_IP_WIDTH });
	if (*addr.p == '0')
		return MP_IMPORT_UNLIKE;
	return mp_import_digits(addr) < addr.len ? MP_IMPORT_LIKE : MP_IMPORT_POSSIBLE;
}

static bool has_frame(struct mp_str text)
{
	return frame_likeness(text) == MP_IMPORT_LIKE;
}

/*
 * Whether perf may have printed the text after the event's name: what a tracepoint says, or columns
 * of numbers.
 */
static bool has_columns(const struct mp_perf_head *h)
{
	return mp_import_is_tracepoint(h->type) || !mp_import_without_blanks(h->text) ||
	       mp_import_ip_ends_at(h->text, 1 + MP_PERF_IP_WIDTH) ||
	       mp_import_ip_ends_at(h->text, 2 + MP_PERF_IP_WIDTH);
}

/* How likely it is that columns without a time and an event are a header. */
static enum mp_import_likeness plain_likeness(const struct mp_perf_head *h)
{
	if (h->comm.p && !mp_import_comm_padded(h))
		return MP_IMPORT_UNLIKE;
	return h->comm.p && h->tid.p ? MP_IMPORT_LIKE : frame_likeness(h->text);
}

/* How likely it is that a line is a header. No other text has a thread or a CPU beside a time. */
static enum mp_import_likeness head_likeness(struct mp_str line)
{
	enum mp_import_likeness best = MP_IMPORT_UNLIKE;
	struct mp_perf_cut cut;
	unsigned i;
	size_t at;

	for (at = 0; mp_import_timed_cut(line, &at, &cut);)
		if (mp_import_match_any(&cut)) {
			best = MP_IMPORT_LIKE;
			if (cut.head.tid.p || cut.head.cpu.p)
				return MP_IMPORT_DISTINCT;
		}
	for (at = 0; best < MP_IMPORT_LIKE && mp_import_event_cut(line, &at, &cut);) {
		if (!mp_import_match_any(&cut))
			continue;
		if (((cut.head.tid.p || cut.head.cpu.p || cut.head.period.p) &&
		     has_columns(&cut.head)) ||
		    (cut.head.text.len && has_frame(mp_str_skip(cut.head.text, 1))))
			best = MP_IMPORT_LIKE;
		else if (!mp_import_without_blanks(cut.head.text))
			best = mp_import_comm_padded(&cut.head) ? MP_IMPORT_LIKE
								: MP_IMPORT_POSSIBLE;
	}
	for (at = 0; best < MP_IMPORT_LIKE && mp_import_plain_cut(line, &at, &cut);)
		for (i = 0; i < MP_PERF_SHAPES; i++)
			if (mp_import_match(&cut, i))
				best = MP_MAX(best, plain_likeness(&cut.head));
	return best;
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	enum mp_import_likeness like;

	if (first && mp_str_starts(line, MP_STR("# ========")))
		return MP_IMPORT_DISTINCT;
	if (tab_frame(line) || is_record(line))
		return MP_IMPORT_LIKE;
	like = head_likeness(line);
	if (like == MP_IMPORT_UNLIKE &&
	    (*line.p == '#' || (line.len > 8 && frame_start(line) < line.len)))
		return MP_IMPORT_POSSIBLE;
	return like;
}

const struct mp_import_format mp_import_perf = { "perf", looks_like, NULL, parse };
