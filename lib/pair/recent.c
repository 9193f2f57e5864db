// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/recent.h"

#include <stdlib.h>

enum { TEXT_MIN = 64 << 10, LINES_MIN = 256 };

struct mp_recent_line {
	size_t at, len;
};

void mp_recent_init(struct mp_recent *r, size_t limit)
{
	*r = (struct mp_recent){ .limit = limit, .cap = TEXT_MIN, .lines_cap = LINES_MIN };
	r->text = mp_alloc(r->cap);
	r->lines = mp_alloc(r->lines_cap * sizeof(*r->lines));
}

void mp_recent_release(struct mp_recent *r)
{
	free(r->text);
	free(r->lines);
	*r = (struct mp_recent){ .text = NULL };
}

static struct mp_recent_line *line_at(const struct mp_recent *r, uint64_t number)
{
	return &r->lines[number & (r->lines_cap - 1)];
}

/*
 * Finds where `len` bytes fit; false if there is no room. The text in use is [start, end); if `end`
 * is not above `start`, it wraps around. It is empty if `first` equals `next`.
 */
static bool find_room(struct mp_recent *r, size_t len, size_t *at)
{
	if (r->first == r->next) {
		r->start = r->end = 0;
		*at = 0;
		return len <= r->cap;
	}
	if (r->start < r->end) {
		*at = r->end;
		if (r->cap - r->end >= len)
			return true;
		*at = 0;
		return len <= r->start;
	}
	*at = r->end;
	return r->start - r->end >= len;
}

/* Moves all lines into a ring of another size. */
static void grow_text(struct mp_recent *r, size_t cap)
{
	char *text = mp_alloc(cap);
	size_t used = 0;
	uint64_t i;

	for (i = r->first; i < r->next; i++) {
		struct mp_recent_line *l = line_at(r, i);

		memcpy(text + used, r->text + l->at, l->len);
		l->at = used;
		used += l->len;
	}
	free(r->text);
	r->text = text;
	r->cap = cap;
	r->start = 0;
	r->end = used;
}

static void grow_lines(struct mp_recent *r)
{
	size_t cap = r->lines_cap * 2;
	struct mp_recent_line *lines = mp_alloc(cap * sizeof(*lines));
	uint64_t i;

	for (i = r->first; i < r->next; i++)
		lines[i & (cap - 1)] = *line_at(r, i);
	free(r->lines);
	r->lines = lines;
	r->lines_cap = cap;
}

static size_t bytes(const struct mp_recent *r)
{
	return r->cap + r->lines_cap * sizeof(*r->lines);
}

void mp_recent_drop(struct mp_recent *r, uint64_t before)
{
	r->first = MP_MAX(r->first, MP_MIN(before, r->next));
	r->start = r->first < r->next ? line_at(r, r->first)->at : r->end;
}

void mp_recent_add(struct mp_recent *r, struct mp_str line)
{
	size_t at;

	while (!find_room(r, line.len, &at)) {
		if (r->first == r->next || r->cap + bytes(r) <= r->limit)
			grow_text(r, r->cap * 2);
		else
			mp_recent_drop(r, r->first + 1);
	}
	if (r->next - r->first == r->lines_cap) {
		if (r->lines_cap * sizeof(*r->lines) + bytes(r) <= r->limit)
			grow_lines(r);
		else
			mp_recent_drop(r, r->first + 1);
	}
	memcpy(r->text + at, line.p, line.len);
	*line_at(r, r->next) = (struct mp_recent_line){ at, line.len };
	if (r->first == r->next)
		r->start = at;
	r->end = at + line.len;
	r->next++;
}

struct mp_str mp_recent_get(const struct mp_recent *r, uint64_t number)
{
	const struct mp_recent_line *l = line_at(r, number);

	return (struct mp_str){ r->text + l->at, l->len };
}
