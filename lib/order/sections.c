// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/stream/ctl.h"

struct sections {
	int fd;
	const char *name;
	off_t start, end;
	off_t *v;
	size_t n, cap;
	char *buf;
};

enum { TAIL = 64 << 10, WINDOW = 4 * MP_LINE_MAX };

size_t mp_sections_read_at(int fd, char *to, size_t len, off_t offset, const char *name)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, to + done, len - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot read '%s': %m", name);
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

static void add(struct sections *s, off_t offset)
{
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = offset;
}

/* Whether a line that begins at `p` is the header of an event section. */
static bool is_event_header(const char *p, size_t len)
{
	const char *why, *lf = memchr(p, '\n', len);
	struct mp_ctl ctl;
	bool is;

	if (!lf)
		return false;
	is = mp_ctl_parse(&ctl, (struct mp_str){ p, lf - p }, &why) == 0 &&
	     ctl.what == MP_CTL_HEADER && ctl.datatype == MP_EVENT;
	mp_ctl_release(&ctl);
	return is;
}

static bool is_header_at(struct sections *s, off_t offset)
{
	static const char head[] = "{\"mp\":";
	char text[sizeof(head) - 1];

	return mp_sections_read_at(s->fd, text, sizeof(text), offset, s->name) == sizeof(text) &&
	       memcmp(text, head, sizeof(text)) == 0;
}

/*
 * The offset of the section whose trailer ends at `end`; -1 if no trailer that ends there gives its
 * length.
 */
static off_t section_before(struct sections *s, off_t end)
{
	off_t from = MP_MAX(s->start, end - TAIL);
	size_t len = mp_sections_read_at(s->fd, s->buf, end - from, from, s->name);
	const char *why, *line;
	struct mp_ctl ctl;
	off_t begins = -1;
	json_int_t bytes;

	if (len < 2 || s->buf[len - 1] != '\n')
		return -1;
	line = memrchr(s->buf, '\n', len - 1);
	line = line ? line + 1 : s->buf;
	if (mp_ctl_parse(&ctl, (struct mp_str){ line, s->buf + len - 1 - line }, &why) == 0 &&
	    ctl.what == MP_CTL_END && ctl.datatype == MP_EVENT) {
		bytes = json_integer_value(json_object_get(ctl.json, "bytes"));
		begins = from + (line - s->buf) - bytes;
		if (bytes <= 0 || begins < s->start || !is_header_at(s, begins))
			begins = -1;
	}
	mp_ctl_release(&ctl);
	return begins;
}

static int ascending(const void *a, const void *b)
{
	off_t x = *(const off_t *)a, y = *(const off_t *)b;

	return x < y ? -1 : x > y;
}

static bool walk_back(struct sections *s)
{
	off_t at = s->end;

	while (at > s->start) {
		at = section_before(s, at);
		if (at < 0)
			return false;
		add(s, at);
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), ascending);
	return s->n > 0;
}

/*
 * Neighbouring windows overlap by the longest line, so that each header is complete in one of them.
 */
static void search(struct sections *s)
{
	static const char mark[] = "\n{\"mp\":";
	off_t at = s->start;

	s->n = 0;
	add(s, s->start);
	while (at < s->end) {
		size_t len = mp_sections_read_at(s->fd, s->buf, MP_MIN(WINDOW, s->end - at), at,
						 s->name);
		size_t step = len == WINDOW ? len - MP_LINE_MAX : len;
		char *p = s->buf, *end = s->buf + len;

		while ((p = memmem(p, end - p, mark, sizeof(mark) - 1)) && p < s->buf + step) {
			p++;
			if (is_event_header(p, end - p))
				add(s, at + (p - s->buf));
		}
		if (step == 0)
			break;
		at += step;
	}
}

off_t *mp_sections_find(int fd, const char *name, off_t start, off_t end, size_t *n)
{
	struct sections s = { .fd = fd, .name = name, .start = start, .end = end };

	s.buf = mp_alloc(WINDOW);
	if (!walk_back(&s))
		search(&s);
	free(s.buf);
	*n = s.n;
	return s.v;
}
