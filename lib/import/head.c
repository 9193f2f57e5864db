// SPDX-License-Identifier: GPL-2.0-only
/* The columns are those of tools/perf/builtin-script.c and tools/perf/util/evsel_fprintf.c. */
#include "lib/import/head.h"

enum { HEAD_MAX = 96 }; /* the time is found within so many bytes */

static size_t blanks(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && s.p[n] == ' ')
		n++;
	return n;
}

/* Cuts "[CPU]" and the letters of -F misc after it off the end of s. */
static void parse_cpu(struct mp_str *s, struct mp_perf_head *h)
{
	size_t end = mp_import_without_blanks(*s), n = end;
	struct mp_str left = *s, cpu;

	while (n && strchr("KUHGMSE", s->p[n - 1]) && s->p[n - 1])
		n--;
	if (n < end && n && s->p[n - 1] == ' ') {
		n = mp_import_without_blanks((struct mp_str){ s->p, n });
		if (n && s->p[n - 1] == ']')
			end = n;
	}
	if (!mp_import_cut_cpu(&left, end, &cpu) || (left.len && left.p[left.len - 1] != ' '))
		return;
	h->cpu = cpu;
	*s = left;
}

/* Start of the number, perhaps negative, that ends at `end`; `end` if there is none. */
static size_t number_start(struct mp_str s, size_t end)
{
	size_t n = mp_import_digits_start(s, end);

	if (n == end || end - n > 10)
		return end;
	return n && s.p[n - 1] == '-' ? n - 1 : n;
}

/* Cuts "TID" or "PID/TID" off the end of s with the blanks that pad its column. */
static bool parse_tid(struct mp_str *s, struct mp_perf_head *h, size_t width)
{
	size_t end = mp_import_without_blanks(*s), start = number_start(*s, end), n = end, pad;

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
	pad = start - mp_import_without_blanks((struct mp_str){ s->p, start });
	h->tid_width = n - start + (pad ? pad - 1 : 0);
	if (h->tid_width < width)
		width = h->tid_width < MP_PERF_TID_WIDTH_OLD ? h->tid_width : MP_PERF_TID_WIDTH_OLD;
	width = MP_MAX(width, n - start);
	s->len = n > width ? n - width : 0;
	return true;
}

/* Parses what precedes the time, or the event where there is no time. */
static void parse_left(struct mp_str s, struct mp_perf_head *h, const struct mp_perf_shape *shape)
{
	struct mp_str before = s;

	h->cpu = h->pid = h->tid = h->comm = (struct mp_str){ NULL, 0 };
	if (!shape->no_cpu)
		parse_cpu(&s, h);
	if (!shape->no_tid && parse_tid(&s, h, shape->tid_width)) {
		if (!s.len)
			return; /* -F omits the name */
		s.len--;	/* the blank after a name */
	} else {
		h->pid = h->tid = (struct mp_str){ NULL, 0 };
		if (!mp_import_without_blanks(s))
			return;
		s.len = MP_MAX(mp_import_without_blanks(s), MP_MIN(s.len, (size_t)MP_COMM_WIDTH));
		if (s.len < MP_COMM_WIDTH)
			s.len = mp_import_without_blanks(s);
	}
	if (s.len >= MP_COMM_WIDTH)
		s = mp_str_skip(s, blanks(s));
	h->comm = s.p ? s : (struct mp_str){ before.p, 0 };
}

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

static bool find_time(struct mp_str line, struct mp_perf_head *h, const struct mp_perf_shape *shape)
{
	const char *end = line.p + MP_MIN(line.len, (size_t)HEAD_MAX), *p = line.p;
	struct mp_perf_head candidate = { .tid_width = 0 };
	bool found = false;

	while ((p = memchr(p, ':', end - p))) {
		if (time_at(line, p - line.p, &candidate.time)) {
			parse_left((struct mp_str){ line.p, candidate.time.p - line.p }, &candidate,
				   shape);
			if (found && candidate.comm.len > MP_COMM_MAX)
				break;
			*h = candidate;
			found = true;
			if (candidate.comm.len > MP_COMM_MAX)
				break;
		}
		p++;
	}
	return found;
}

/* Length of the event's name that s begins with, up to its colon; 0: it begins with none. */
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

/* Parses what follows the time: period, event, text. */
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

bool mp_import_timed_head(struct mp_str line, struct mp_perf_head *h,
			  const struct mp_perf_shape *shape)
{
	if (!find_time(line, h, shape))
		return false;
	parse_right(mp_str_skip(line, h->time.p + h->time.len + 1 - line.p), h);
	return true;
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

/* Cuts a period off the end of what precedes an event: "12 250000" or "[000] 250000". */
static struct mp_str cut_period(struct mp_str s, struct mp_perf_head *h)
{
	size_t end = mp_import_without_blanks(s), start = number_start(s, end), n;

	h->period = (struct mp_str){ NULL, 0 };
	if (start == end || end < 10)
		return s;
	n = mp_import_without_blanks((struct mp_str){ s.p, start });
	if (!n || n == start || (s.p[n - 1] != ']' && (end - n < 10 || number_start(s, n) == n)))
		return s;
	h->period = (struct mp_str){ s.p + start, end - start };
	return (struct mp_str){ s.p, n + 1 };
}

/*
 * Parses a header without a time. Of several places that look like an event, the first with a
 * thread's number in its column before it is the event.
 */
static bool untimed_event(struct mp_str line, struct mp_perf_head *h,
			  const struct mp_perf_shape *shape)
{
	bool found = false;
	size_t i;

	for (i = 0; i < line.len && i < HEAD_MAX; i++) {
		struct mp_perf_head candidate = { .tid_width = 0 };
		size_t n;

		if (!mp_import_letter(line.p[i]) || (i && line.p[i - 1] != ' '))
			continue;
		n = name_length(mp_str_skip(line, i));
		if (!n)
			continue;
		parse_left(cut_period((struct mp_str){ line.p, i }, &candidate), &candidate, shape);
		candidate.type = (struct mp_str){ line.p + i, n };
		candidate.text = mp_str_skip(line, i + n + 1);
		if (!found)
			*h = candidate;
		found = true;
		if (candidate.tid.p && candidate.tid_width >= MP_PERF_TID_WIDTH_OLD) {
			*h = candidate;
			break;
		}
	}
	return found;
}

void mp_import_untimed_head(struct mp_str line, struct mp_perf_head *h,
			    const struct mp_perf_shape *shape)
{
	size_t ip;

	*h = (struct mp_perf_head){ .tid_width = 0 };
	if (!shape->no_event && untimed_event(line, h, shape))
		return;
	ip = mp_import_find_ip(line);
	if (ip == line.len && mp_import_ip_ends_at(line, MP_PERF_IP_WIDTH + 1))
		ip = 1;
	parse_left((struct mp_str){ line.p, ip }, h, shape);
	if (ip < line.len && !h->tid.p) { /* a name of blanks: the number is not an address */
		struct mp_perf_head whole = *h;

		parse_left(line, &whole, shape);
		if (whole.tid.p) {
			*h = whole;
			return;
		}
	}
	if (ip < line.len)
		h->text = mp_str_skip(line, ip - 1);
}
