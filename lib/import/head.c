// SPDX-License-Identifier: GPL-2.0-only
/* The columns are those of tools/perf/builtin-script.c and tools/perf/util/evsel_fprintf.c. */
#include "lib/import/head.h"

enum {
	/* the time or the event is within the first bytes of a line, at most this many */
	HEAD_MAX = 96,
	TIME_WIDTH = 12,   /* width of a time in us; in ns it is three more */
	PERIOD_WIDTH = 10, /* width of the column of a period */
	MISC_WIDTH = 6,	   /* width of the column of letters of -F misc */
};

enum comm { COMM_PADDED, COMM_NONE, COMM_BARE };

static const struct task {
	size_t width;
	bool pair;
} tasks[MP_PERF_TASKS] = { { 7, true }, { 5, true },  { 7, false }, { 5, false },
			   { 1, true }, { 1, false }, { 0, false } };

static size_t blanks(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && s.p[n] == ' ')
		n++;
	return n;
}

/* --- columns on the left ---------------------------------------------------------------------- */

/* Removes the date of -F tod, "2026-11-22 11:30:00.123456 ", from the end of s. */
static void cut_date(struct mp_str *s)
{
	static const char date[] = "0000-00-00 00:00:00.000000 ";
	size_t n = sizeof(date) - 1, i;

	if (s->len < n)
		return;
	for (i = 0; i < n; i++) {
		char c = s->p[s->len - n + i];

		if (date[i] == '0' ? !mp_import_digit(c) : c != date[i])
			return;
	}
	s->len -= n;
}

/*
 * Removes the letters of -F misc and their padding from the end of s. If a padded event follows,
 * letters count only after a number or a bracket.
 */
static void cut_misc(struct mp_str *s, bool padded)
{
	size_t end = mp_import_without_blanks(*s), n = end, width;

	if (!end || !mp_import_letter(s->p[end - 1]))
		return;
	while (n && strchr("KUHGgMESp", s->p[n - 1]) && s->p[n - 1])
		n--;
	width = s->len - n;
	if (n == end || end - n >= MISC_WIDTH || (n && s->p[n - 1] != ' ') ||
	    (padded ? width < MISC_WIDTH : width != MISC_WIDTH))
		return;
	end = mp_import_without_blanks((struct mp_str){ s->p, n });
	if (!padded || (end && (s->p[end - 1] == ']' || mp_import_digit(s->p[end - 1]))))
		s->len = n;
}

static bool cut_cpu(struct mp_str *s, struct mp_perf_head *h)
{
	return mp_import_cut_cpu(s, mp_import_without_blanks(*s), &h->cpu) &&
	       (!s->len || s->p[s->len - 1] == ' ');
}

/* Start of the number, perhaps negative, that ends at `end`; `end` if there is none. */
static size_t number_start(struct mp_str s, size_t end)
{
	size_t n = mp_import_digits_start(s, end);

	if (n == end || end - n > 10 || (s.p[n] == '0' && end - n > 1))
		return end;
	return n && s.p[n - 1] == '-' ? n - 1 : n;
}

/* Removes "TID" or "PID/TID", with the blanks that pad its column, from the end of s. */
static bool cut_task(struct mp_str *s, const struct task *task, struct mp_perf_head *h)
{
	size_t end = mp_import_without_blanks(*s), start = number_start(*s, end), width;

	if (start == end)
		return false;
	h->tid = (struct mp_str){ s->p + start, end - start };
	if (task->pair) {
		if (!start || s->p[start - 1] != '/')
			return false;
		end = start - 1;
		start = number_start(*s, end);
		if (start == end)
			return false;
		h->pid = (struct mp_str){ s->p + start, end - start };
	}
	width = MP_MAX(task->width, end - start);
	if (width > end ||
	    blanks((struct mp_str){ s->p + end - width, width }) < width - (end - start))
		return false;
	s->len = end - width;
	return !s->len || s->p[s->len - 1] == ' ';
}

/* Parses the text before the other columns as COMM; `padded` as in struct mp_perf_cut. */
static bool match_comm(struct mp_str s, enum comm comm, bool padded, struct mp_perf_head *h)
{
	size_t n = mp_import_without_blanks(s);

	if (comm == COMM_NONE)
		return !s.len || (padded && !n);
	if (!s.len || s.p[s.len - 1] != ' ')
		return false;
	if (comm == COMM_PADDED) {
		if (*s.p != ' ' || s.len <= MP_COMM_WIDTH || n > MP_COMM_WIDTH ||
		    (!padded && s.len > MP_COMM_WIDTH + 1))
			return false;
		s.len = MP_COMM_WIDTH;
		h->comm = mp_str_skip(s, blanks(s));
		return true;
	}
	h->comm = (struct mp_str){ s.p, padded ? n : s.len - 1 };
	return h->comm.len <= MP_COMM_MAX;
}

bool mp_import_match(struct mp_perf_cut *cut, unsigned shape)
{
	const struct task *task = &tasks[shape / MP_PERF_COMMS % MP_PERF_TASKS];
	bool period = shape >= MP_PERF_TIMED && shape < MP_PERF_PERIOD, padded = cut->padded;
	struct mp_str s = cut->left, none = { NULL, 0 };
	struct mp_perf_head *h = &cut->head;

	if (period ? !cut->before_period : !h->time.p != (shape >= MP_PERF_TIMED))
		return false;
	h->comm = h->pid = h->tid = h->cpu = none;
	h->shape = shape;
	if (shape >= MP_PERF_TIMED)
		h->period = period ? mp_import_trim(mp_str_skip(s, cut->before_period)) : none;
	if (period) {
		s.len = cut->before_period;
		padded = false;
	}
	cut_misc(&s, padded);
	if (shape % MP_PERF_COLUMNS < MP_PERF_COLUMNS / 2 && !cut_cpu(&s, h))
		return false;
	if (task->width && !cut_task(&s, task, h))
		return false;
	return match_comm(s, shape % MP_PERF_COMMS,
			  padded && s.p + s.len == cut->left.p + cut->left.len, h);
}

bool mp_import_match_any(struct mp_perf_cut *cut)
{
	unsigned i;

	for (i = 0; i < MP_PERF_SHAPES; i++)
		if (mp_import_match(cut, i))
			return true;
	return false;
}

bool mp_import_comm_padded(const struct mp_perf_head *h)
{
	return h->comm.p && h->shape % MP_PERF_COMMS == COMM_PADDED;
}

/* --- columns on the right --------------------------------------------------------------------- */

/* Whether a time ends at the colon, "12.345678" or with nine digits after the point. */
static bool time_at(struct mp_str line, size_t colon, struct mp_str *time)
{
	size_t n = mp_import_digits_start(line, colon), fraction = colon - n;

	if ((fraction != 6 && fraction != 9) || n < 2 || line.p[n - 1] != '.')
		return false;
	n = mp_import_digits_start(line, n - 1);
	if (line.p[n] == '.' || (n && line.p[n - 1] != ' '))
		return false;
	*time = (struct mp_str){ line.p + n, colon - n };
	return colon + 1 == line.len || line.p[colon + 1] == ' ';
}

/* Length of the event's name at the start of s, up to its colon; 0 if s does not begin with one. */
static size_t name_length(struct mp_str s)
{
	size_t n = mp_str_starts(s, MP_STR("raw 0x")) ? 4 : 0;

	for (; n < s.len && s.p[n] != ' '; n++) {
		if (s.p[n] != ':' || (n + 1 < s.len && s.p[n + 1] != ' '))
			continue;
		return memchr(s.p, '=', n) && !memchr(s.p, '/', n) ? 0 : n;
	}
	return 0;
}

/* Parses the text after the time: period, event, text. */
static void parse_right(struct mp_str s, struct mp_perf_head *h)
{
	size_t at = blanks(s), n = at + mp_import_digits(mp_str_skip(s, at)), name;

	h->period = h->type = (struct mp_str){ NULL, 0 };
	h->text = s;
	if (n > at && n - at <= 19 && (n == s.len || s.p[n] == ' ')) {
		size_t next = n + blanks(mp_str_skip(s, n));

		if (next == s.len || name_length(mp_str_skip(s, next))) {
			h->period = (struct mp_str){ s.p + at, n - at };
			at = next;
			h->text = mp_str_skip(s, at);
		}
	}
	name = name_length(mp_str_skip(s, at));
	if (name) {
		h->type = (struct mp_str){ s.p + at, name };
		h->text = mp_str_skip(s, at + name + 1);
	}
}

bool mp_import_timed_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut)
{
	size_t end = MP_MIN(line.len, (size_t)HEAD_MAX), pad, n;
	const char *p;

	while (*at < end && (p = memchr(line.p + *at, ':', end - *at))) {
		*at = p + 1 - line.p;
		if (!time_at(line, p - line.p, &cut->head.time))
			continue;
		n = cut->head.time.p - line.p;
		pad = cut->head.time.len > 9 && cut->head.time.p[cut->head.time.len - 10] == '.'
			      ? TIME_WIDTH + 3
			      : TIME_WIDTH;
		pad -= MP_MIN(pad, cut->head.time.len);
		while (pad-- && n && line.p[n - 1] == ' ' && (n == 1 || line.p[n - 2] == ' '))
			n--;
		cut->left = (struct mp_str){ line.p, n };
		cut->padded = false;
		cut->before_period = 0;
		parse_right(mp_str_skip(line, *at), &cut->head);
		cut_date(&cut->left);
		return true;
	}
	return false;
}

/* If a period, padded to its column, is at the end of s: length of the text before it, else 0. */
static size_t before_period(struct mp_str s)
{
	size_t end = mp_import_without_blanks(s), start = mp_import_digits_start(s, end), n;
	size_t width = MP_MAX(end - start, (size_t)PERIOD_WIDTH);

	n = mp_import_without_blanks((struct mp_str){ s.p, start });
	if (start == end || end - start > 19 || end <= width || end - n <= width)
		return 0;
	return end - width;
}

bool mp_import_event_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut)
{
	struct mp_perf_head *h = &cut->head;
	size_t end = MP_MIN(line.len, (size_t)HEAD_MAX), i, n;

	while (*at < end) {
		i = (*at)++;
		if (!mp_import_letter(line.p[i]) || (i && line.p[i - 1] != ' '))
			continue;
		n = name_length(mp_str_skip(line, i));
		if (!n)
			continue;
		h->time = (struct mp_str){ NULL, 0 };
		h->type = (struct mp_str){ line.p + i, n };
		h->text = mp_str_skip(line, i + n + 1);
		cut->left = (struct mp_str){ line.p, i };
		cut->before_period = before_period(cut->left);
		cut->padded = true;
		cut->event_width = mp_import_without_blanks((struct mp_str){ line.p, i });
		cut->event_width = i + n - cut->event_width - (cut->event_width > 0);
		return true;
	}
	return false;
}

bool mp_import_plain_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut)
{
	struct mp_perf_head *h = &cut->head;
	size_t end = MP_MIN(line.len, (size_t)HEAD_MAX), i;

	if (*at > line.len)
		return false;
	h->time = h->type = h->period = h->text = (struct mp_str){ NULL, 0 };
	cut->padded = false;
	cut->before_period = 0;
	while (*at < end) {
		i = (*at)++;
		if (line.p[i] == ' ' && mp_import_ip_ends_at(line, i + 1 + MP_PERF_IP_WIDTH)) {
			cut->left = (struct mp_str){ line.p, i };
			h->text = mp_str_skip(line, i);
			return true;
		}
	}
	*at = line.len + 1;
	cut->left = line;
	return line.len && line.len <= end && line.p[line.len - 1] == ' ';
}

bool mp_import_ip_ends_at(struct mp_str s, size_t end)
{
	size_t n = end;

	if (end < MP_PERF_IP_WIDTH || end > s.len || (end < s.len && s.p[end] != ' '))
		return false;
	while (n > end - MP_PERF_IP_WIDTH && mp_import_hex_digit(s.p[n - 1]))
		n--;
	if (n == end)
		return false;
	while (n > end - MP_PERF_IP_WIDTH && s.p[n - 1] == ' ')
		n--;
	return n == end - MP_PERF_IP_WIDTH;
}

size_t mp_import_find_ip(struct mp_str s)
{
	size_t i;

	for (i = 0; i + MP_PERF_IP_WIDTH < s.len; i++)
		if (s.p[i] == ' ' && mp_import_ip_ends_at(s, i + 1 + MP_PERF_IP_WIDTH))
			return i + 1;
	return s.len;
}
