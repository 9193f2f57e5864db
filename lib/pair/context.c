// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/context.h"

#include <stdlib.h>

/* the slot of a span keeps the text for reuse if that has at most this many bytes */
enum { LINE_KEPT = 1024 };

/* how often an event is read for spans, on average; the first events of an input have more */
enum { READS = 500, READS_AT_FIRST = 10000000 };

static const struct mp_field fields[MP_CONTEXT_FIELDS] = {
	[MP_CONTEXT_CPU] = MP_FIELD_OF(KEY, "cpu"),
	[MP_CONTEXT_PID] = MP_FIELD_OF(KEY, "pid"),
	[MP_CONTEXT_TID] = MP_FIELD_OF(KEY, "tid"),
};

void mp_context_init(struct mp_context *c, unsigned which, uint64_t around_ns, size_t memory,
		     mp_context_write *write, void *arg)
{
	*c = (struct mp_context){ .which = which,
				  .around_ns = around_ns,
				  .write = write,
				  .arg = arg,
				  .limit = memory,
				  .reads = READS_AT_FIRST,
				  .keep = UINT64_MAX };
	if (which)
		mp_recent_init(&c->recent, memory);
}

void mp_context_release(struct mp_context *c)
{
	size_t i;

	for (i = 0; i < c->cap; i++)
		mp_buf_release(&c->spans[i].line);
	free(c->spans);
	mp_recent_release(&c->recent);
}

uint64_t mp_context_time(struct mp_str line)
{
	const char *comma = memchr(line.p, ',', line.len);
	uint64_t time_ns = 0;

	if (comma)
		mp_num_u64((struct mp_str){ line.p, comma - line.p }, &time_ns);
	return time_ns;
}

static struct mp_context_span *span_at(const struct mp_context *c, size_t i)
{
	return &c->spans[(c->first + i) & (c->cap - 1)];
}

/* --- which lines ------------------------------------------------------------------------------ */

static void read_values(struct mp_str *values, struct mp_str line)
{
	struct mp_rec rec;
	const char *why;
	size_t i;

	memset(values, 0, MP_CONTEXT_FIELDS * sizeof(*values));
	if (!line.p || mp_rec_parse(&rec, line.p, line.len, &why) < 0)
		return;
	for (i = 0; i < MP_CONTEXT_FIELDS; i++)
		if (!mp_rec_get(&rec, &fields[i], &values[i]))
			values[i].p = NULL;
}

static struct mp_str kept_line(const struct mp_context *c, uint64_t number)
{
	if (number < c->recent.first)
		return (struct mp_str){ NULL, 0 };
	return mp_recent_get(&c->recent, number);
}

bool mp_context_selects(const struct mp_context *c, const struct mp_context_span *s,
			struct mp_str line)
{
	struct mp_str values[MP_CONTEXT_FIELDS];
	size_t i, side;

	if (c->which & MP_CONTEXT_ALL)
		return true;
	read_values(values, line);
	for (i = 0; i < MP_CONTEXT_FIELDS; i++) {
		if (!(c->which & MP_CONTEXT_SAMECPU << i) || !values[i].p)
			continue;
		for (side = 0; side < 2; side++)
			if (s->values[side][i].p && mp_str_eq(values[i], s->values[side][i]))
				return true;
	}
	return false;
}

bool mp_context_next(const struct mp_context *c, const struct mp_context_span *s, uint64_t *i,
		     bool every, struct mp_str *line)
{
	for (*i = MP_MAX(*i, MP_MAX(s->from, c->recent.first)); *i < c->recent.next; ++*i) {
		*line = mp_recent_get(&c->recent, *i);
		if (*i > s->end && mp_context_time(*line) - s->end_ns > c->around_ns)
			return false;
		if (*i > s->end && !c->around_ns)
			return false;
		if (every || mp_context_selects(c, s, *line))
			return true;
	}
	return false;
}

/* --- spans that wait -------------------------------------------------------------------------- */

static void find_keep(struct mp_context *c)
{
	size_t i;

	c->keep = UINT64_MAX;
	for (i = 0; i < c->n; i++)
		c->keep = MP_MIN(c->keep, span_at(c, i)->from);
}

/*
 * Takes the events of a span off the number that may be read. If they are too many, as where
 * thousands of spans overlap, the span is written without them.
 */
static void limit_reads(struct mp_context *c, struct mp_context_span *s)
{
	uint64_t n = c->recent.next - MP_MAX(s->from, c->recent.first);

	if (n <= c->reads) {
		c->reads -= n;
		return;
	}
	c->bare++;
	s->from = c->recent.next;
}

static void write_first(struct mp_context *c, bool early)
{
	struct mp_context_span *s = span_at(c, 0);
	uint64_t from = s->from;

	read_values(s->values[0], kept_line(c, s->begin));
	read_values(s->values[1], kept_line(c, s->end));
	c->cut += early || s->begin < c->recent.first ||
		  (s->from < c->recent.first && c->recent.first > c->dropped);
	limit_reads(c, s);
	c->write(c->arg, c, s);
	c->bytes -= s->line.len;
	if (s->line.cap > LINE_KEPT)
		mp_buf_release(&s->line);
	c->first++;
	c->n--;
	if (from == c->keep)
		find_keep(c);
}

void mp_context_until(struct mp_context *c, uint64_t time_ns)
{
	while (c->n && time_ns > span_at(c, 0)->end_ns &&
	       time_ns - span_at(c, 0)->end_ns > c->around_ns)
		write_first(c, false);
}

void mp_context_event(struct mp_context *c, const struct mp_rec *rec)
{
	if (!c->which)
		return;
	c->reads += READS;
	mp_context_until(c, rec->time_ns);
	mp_recent_add(&c->recent, rec->line);
}

static void grow(struct mp_context *c)
{
	size_t cap = c->cap ? c->cap * 2 : 16, i;
	struct mp_context_span *spans = mp_zalloc(cap * sizeof(*spans));

	for (i = 0; i < c->n; i++)
		spans[i] = *span_at(c, i);
	free(c->spans);
	c->spans = spans;
	c->cap = cap;
	c->first = 0;
}

/* The number of the first line at most around_ns before the begin. */
static uint64_t from_of(const struct mp_context *c, uint64_t begin, uint64_t begin_ns)
{
	uint64_t from = begin;

	while (c->around_ns && from > c->recent.first &&
	       begin_ns - mp_context_time(mp_recent_get(&c->recent, from - 1)) <= c->around_ns)
		from--;
	/* perhaps there were more, for which there was no room */
	if (from == c->recent.first && c->around_ns && from > c->dropped)
		from--;
	return from;
}

void mp_context_span(struct mp_context *c, uint64_t number, uint64_t begin, uint64_t begin_ns,
		     uint64_t end_ns, struct mp_str line)
{
	struct mp_context_span *s;

	if (c->n == c->cap)
		grow(c);
	s = span_at(c, c->n++);
	s->number = number;
	s->begin = begin;
	s->end = mp_context_latest(c);
	s->begin_ns = begin_ns;
	s->end_ns = end_ns;
	s->from = from_of(c, begin, begin_ns);
	s->line.len = 0;
	mp_buf_str(&s->line, line);
	c->bytes += line.len;
	c->keep = MP_MIN(c->keep, s->from);
	if (!c->around_ns) {
		write_first(c, false);
		return;
	}
	while (c->n > 1 && c->bytes + c->n * sizeof(*s) > c->limit)
		write_first(c, true);
}

void mp_context_drop(struct mp_context *c, uint64_t begin, uint64_t begin_ns)
{
	if (!c->which)
		return;
	begin = MP_MIN(begin, c->keep);
	if (c->around_ns)
		while (c->dropped < begin && c->dropped < c->recent.next) {
			struct mp_str line = kept_line(c, c->dropped);

			if (line.p && mp_context_time(line) <= begin_ns &&
			    begin_ns - mp_context_time(line) <= c->around_ns)
				break;
			c->dropped++;
		}
	else
		c->dropped = MP_MAX(c->dropped, MP_MIN(begin, c->recent.next));
	mp_recent_drop(&c->recent, c->dropped);
}

void mp_context_end(struct mp_context *c)
{
	if (!c->which)
		return;
	while (c->n)
		write_first(c, false);
	c->dropped = c->recent.next;
	mp_recent_drop(&c->recent, c->recent.next);
}
