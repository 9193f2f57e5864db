// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what strace -f -ttt -T prints: system calls with their begin and duration, which become
 * spans; signals and ends of tasks. The shapes are those of strace(1) and of strace 6.1.
 */
#include "lib/import/calls.h"
#include "lib/import/format.h"
#include "lib/import/frames.h"

struct state {
	struct mp_import *im;
	struct mp_import_calls calls;
	struct mp_import_frames frames;
	struct mp_buf glued;  /* a line into which strace printed that it attached to a task */
	struct mp_buf joined; /* the arguments of a call that was resumed */
	bool held;	      /* im->line is an event, to which -k may add frames */
};

struct head {
	struct mp_str tid; /* empty: one task */
	uint64_t time_ns;
	struct mp_str text;
};

/* Parses "123 1700000000.123456 TEXT", "[pid 123] ..." and the same without a task. */
static bool parse_head(struct mp_str line, struct head *h)
{
	bool bracket = mp_str_starts(line, MP_STR("[pid "));
	struct mp_str s = line, time;
	size_t n;

	h->tid = MP_STR("");
	if (bracket)
		s = mp_import_trim(mp_str_skip(s, 5));
	n = mp_import_digits(s);
	if (n && n <= 10 && n + 1 < s.len && s.p[n] == (bracket ? ']' : ' ')) {
		h->tid = (struct mp_str){ s.p, n };
		s = mp_str_skip(s, n + 1);
	} else if (bracket) {
		return false;
	}
	while (s.len && *s.p == ' ')
		s = mp_str_skip(s, 1);
	time = (struct mp_str){ s.p, mp_import_find(s, " ") };
	n = mp_import_digits(time);
	if (n < 9 || time.len == s.len || time.len < n + 2 || mp_import_time(time, &h->time_ns) < 0)
		return false;
	h->text = mp_str_skip(s, time.len + 1);
	return h->text.len > 0;
}

/* Removes "<0.000123>" from the end; returns false if there is none. */
static bool cut_duration(struct mp_str *s, uint64_t *dur_ns)
{
	const char *open = s->len && s->p[s->len - 1] == '>' ? memrchr(s->p, '<', s->len) : NULL;
	struct mp_str time;

	if (!open || open == s->p || open[-1] != ' ')
		return false;
	time = (struct mp_str){ open + 1, s->p + s->len - open - 2 };
	if (mp_import_time(time, dur_ns) < 0)
		return false;
	s->len = mp_import_without_blanks((struct mp_str){ s->p, (size_t)(open - s->p) });
	return true;
}

static void flush(struct state *s)
{
	if (s->held) {
		mp_import_stack(s->im, &s->frames);
		mp_import_write(s->im);
	}
	s->held = false;
}

static void begin(struct state *s, const struct head *h, uint64_t time_ns, struct mp_str type)
{
	mp_import_event(s->im, time_ns, type);
	if (h->tid.len)
		mp_import_number(s->im, "tid", h->tid);
	s->held = true;
}

/* `result` is what follows the arguments: " = 3 <0.000012>" */
static void put_call(struct state *s, const struct head *h, struct mp_str name, struct mp_str args,
		     struct mp_str result)
{
	uint64_t dur_ns = 0;
	bool timed;

	result = mp_import_trim(result);
	if (!mp_str_starts(result, MP_STR("= "))) {
		mp_import_bad(s->im, "a call without a result");
		return;
	}
	timed = cut_duration(&result, &dur_ns);
	begin(s, h, h->time_ns + dur_ns, name);
	if (args.len)
		mp_import_field(s->im, ".args", args);
	mp_import_result(s->im, mp_str_skip(result, 2));
	if (timed)
		mp_import_integer(s->im, "dur", (int64_t)dur_ns);
}

/* "NAME(ARGS) = RESULT <DURATION>", or "NAME(ARGS <unfinished ...>" */
static void call(struct state *s, const struct head *h, size_t name)
{
	const struct mp_str unfinished = MP_STR(" <unfinished ...>");
	struct mp_str text = mp_str_skip(h->text, name + 1);
	size_t end;

	if (mp_str_ends(text, unfinished)) {
		text.len -= unfinished.len;
		mp_import_calls_keep(&s->calls, h->tid, text);
		return;
	}
	end = mp_import_arguments(text);
	put_call(s, h, (struct mp_str){ h->text.p, name }, (struct mp_str){ text.p, end },
		 mp_str_skip(text, MP_MIN(end + 1, text.len)));
}

/* "<... NAME resumed>ARGS) = RESULT <DURATION>": the time is that of this line. */
static void resumed(struct state *s, struct head *h)
{
	struct mp_str text = mp_str_skip(h->text, 5), name, begun;
	size_t end = mp_import_find(text, " resumed>");
	uint64_t dur_ns = 0;

	name = (struct mp_str){ text.p, end };
	if (end == text.len || !end) {
		mp_import_bad(s->im, "neither a call nor a signal");
		return;
	}
	text = mp_str_skip(text, end + 9);
	end = mp_import_arguments(text);
	begun = mp_import_calls_take(&s->calls, h->tid);
	s->joined.len = 0;
	mp_buf_str(&s->joined, begun);
	if (end && begun.len && begun.p[begun.len - 1] == ',')
		mp_buf_byte(&s->joined, ' ');
	mp_buf_str(&s->joined, (struct mp_str){ text.p, end });
	text = mp_str_skip(text, MP_MIN(end + 1, text.len));
	/* it has just returned */
	begun = text;
	if (cut_duration(&begun, &dur_ns))
		h->time_ns -= MP_MIN(h->time_ns, dur_ns);
	put_call(s, h, name, mp_buf_view(&s->joined), text);
}

/* "--- SIGCHLD {...} ---" and "+++ exited with 0 +++" */
static bool other(struct state *s, const struct head *h)
{
	bool signal = mp_str_starts(h->text, MP_STR("--- "));

	if (h->text.len < 8 || !(signal || mp_str_starts(h->text, MP_STR("+++ "))))
		return false;
	begin(s, h, h->time_ns, signal ? MP_STR("strace:signal") : MP_STR("strace:exit"));
	mp_import_field(s->im, ".text", (struct mp_str){ h->text.p + 4, h->text.len - 8 });
	return true;
}

/* A frame of -k: " > FILE(SYMBOL+0xOFFSET) [0xADDRESS]" */
static void frame(struct state *s, struct mp_str line)
{
	struct mp_str file = mp_str_skip(line, 3), symbol = MP_STR(""), address = MP_STR("");
	const char *p = file.len ? memrchr(file.p, '[', file.len) : NULL;
	struct mp_buf name = { NULL, 0, 0 };

	if (p && p > file.p && mp_str_ends(file, MP_STR("]"))) {
		address = (struct mp_str){ p + 1, file.p + file.len - p - 2 };
		file.len = mp_import_without_blanks((struct mp_str){ file.p, p - file.p });
	}
	p = file.len && file.p[file.len - 1] == ')' ? memrchr(file.p, '/', file.len) : NULL;
	if (p)
		p = memchr(p, '(', file.p + file.len - p);
	if (p) {
		symbol = (struct mp_str){ p + 1, file.p + file.len - p - 2 };
		symbol.len = mp_import_find(symbol, "+0x");
		file.len = p - file.p;
	}
	p = file.len ? memrchr(file.p, '/', file.len) : NULL;
	if (p)
		file = mp_str_skip(file, p + 1 - file.p);
	if (symbol.len)
		mp_buf_str(&name, symbol);
	else
		mp_buf_printf(&name, "[%.*s]+%.*s", MP_STR_ARGS(file), MP_STR_ARGS(address));
	mp_import_frame_name(&s->frames, mp_buf_view(&name), MP_MARK_NONE);
	mp_buf_release(&name);
}

/* A line that ends with "strace: Process N attached" continues in the next one. */
static bool is_glued(struct mp_str *line)
{
	struct mp_str s = *line;
	size_t n, head = sizeof("strace: Process ") - 1;

	if (!mp_str_ends(s, MP_STR(" attached")))
		return false;
	n = mp_import_digits_start(s, s.len - 9);
	if (n == s.len - 9 || n < head || memcmp(s.p + n - head, "strace: Process ", head) != 0)
		return false;
	line->len = n - head;
	return true;
}

static void handle(struct state *s, struct mp_str line)
{
	struct head h;
	size_t name;

	if (s->held && mp_str_starts(line, MP_STR(" > "))) {
		frame(s, line);
		return;
	}
	flush(s);
	if (!parse_head(line, &h)) {
		mp_import_bad(s->im, "not a line of strace -ttt");
		return;
	}
	name = mp_import_call_name(h.text);
	if (name)
		call(s, &h, name);
	else if (mp_str_starts(h.text, MP_STR("<... ")))
		resumed(s, &h);
	else if (!other(s, &h))
		mp_import_bad(s->im, "neither a call nor a signal");
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };
	struct mp_str line;
	struct head h;

	im->source = "strace";
	mp_import_calls_init(&s.calls);
	mp_import_frames_init(&s.frames);
	mp_import_begin(im, MP_EVENT, "realtime");
	while (mp_import_line(im, &line)) {
		bool glued = is_glued(&line);

		if (s.glued.len && !parse_head(line, &h) && s.glued.len + line.len < MP_LINE_MAX) {
			mp_buf_str(&s.glued, line);
			if (glued)
				continue;
			handle(&s, mp_buf_view(&s.glued));
			s.glued.len = 0;
		} else if (glued) {
			s.glued.len = 0;
			mp_buf_str(&s.glued, line);
		} else {
			handle(&s, line);
		}
	}
	flush(&s);
	mp_import_calls_release(&s.calls, im);
	mp_import_frames_release(&s.frames);
	mp_buf_release(&s.glued);
	mp_buf_release(&s.joined);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct head h;

	(void)first;
	if (!parse_head(line, &h))
		return MP_IMPORT_UNLIKE;
	if (mp_import_call_name(h.text))
		return MP_IMPORT_DISTINCT;
	return mp_str_starts(h.text, MP_STR("<... ")) || mp_str_starts(h.text, MP_STR("+++ ")) ||
			       mp_str_starts(h.text, MP_STR("--- "))
		       ? MP_IMPORT_LIKE
		       : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_strace = { "strace", looks_like, NULL, parse };
