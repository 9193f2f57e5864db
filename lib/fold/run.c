// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/run.h"

#include <stdlib.h>

enum {
	CHUNK = 64 << 10,
	NUMBER_MAX = 10, /* bytes of a number: 7 bits each */
};

struct mp_fold_chunk {
	struct mp_fold_chunk *next;
	size_t cap;
	size_t len; /* with the data, as in a file */
	char data[];
};

static struct mp_fold_chunk *new_chunk(struct mp_fold_run *r, size_t cap)
{
	struct mp_fold_chunk *c = mp_alloc(sizeof(*c) + cap);

	*c = (struct mp_fold_chunk){ .cap = cap };
	r->bytes += sizeof(*c) + cap;
	return c;
}

static void free_first(struct mp_fold_run *r)
{
	struct mp_fold_chunk *c = r->first;

	r->bytes -= sizeof(*c) + c->cap;
	r->first = c->next;
	free(c);
}

struct mp_fold_run *mp_fold_run_new(bool filed)
{
	struct mp_fold_run *r = mp_zalloc(sizeof(*r));

	r->filed = filed;
	mp_spill_init(&r->file, 0, "set TMPDIR, or give more --memory");
	return r;
}

void mp_fold_run_free(struct mp_fold_run *r)
{
	while (r->first)
		free_first(r);
	mp_spill_release(&r->file);
	mp_buf_release(&r->line);
	free(r);
}

static void write_chunk(struct mp_fold_run *r)
{
	mp_spill_add(&r->file, &r->first->len, sizeof(r->first->len) + r->first->len);
	r->first->len = 0;
}

/* The chunk with room for `size` more bytes. */
static struct mp_fold_chunk *room(struct mp_fold_run *r, size_t size)
{
	struct mp_fold_chunk *c = r->last;

	if (c && c->cap - c->len >= size)
		return c;
	if (c && r->filed) {
		write_chunk(r);
		if (c->cap >= size)
			return c;
		free_first(r);
	}
	c = new_chunk(r, MP_MAX(size, (size_t)CHUNK));
	if (r->first)
		r->last->next = c;
	else
		r->first = c;
	r->last = c;
	return c;
}

static char *put_number(char *to, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

static uint64_t get_number(const char **p)
{
	uint64_t v = 0;
	int shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t) * (*p)++ << shift;
}

/* The sign is the lowest bit, so that small numbers below 0 are short as well. */
static uint64_t from_signed(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t to_signed(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

void mp_fold_run_add(struct mp_fold_run *r, struct mp_str line, size_t kept, int64_t weight)
{
	struct mp_str rest = mp_str_skip(line, kept);
	struct mp_fold_chunk *c = room(r, rest.len + 3 * NUMBER_MAX);
	char *to = c->data + c->len;

	to = put_number(to, kept);
	to = put_number(to, rest.len);
	to = put_number(to, from_signed(weight));
	memcpy(to, rest.p, rest.len);
	c->len = to + rest.len - c->data;
}

void mp_fold_run_rewind(struct mp_fold_run *r)
{
	if (!r->filed) {
		r->at = r->first ? r->first->data : NULL;
		r->end = r->first ? r->first->data + r->first->len : NULL;
		return;
	}
	if (r->first) {
		write_chunk(r);
		free_first(r);
	}
	mp_spill_rewind(&r->file);
}

static bool next_chunk(struct mp_fold_run *r)
{
	size_t len;

	if (!r->filed) {
		if (!r->first || !r->first->next)
			return false;
		free_first(r);
	} else {
		if (mp_spill_read(&r->file, &len, sizeof(len)) == 0)
			return false;
		if (r->first && r->first->cap < len)
			free_first(r);
		if (!r->first)
			r->first = new_chunk(r, MP_MAX(len, (size_t)CHUNK));
		mp_spill_read(&r->file, r->first->data, len);
		r->first->len = len;
	}
	r->at = r->first->data;
	r->end = r->at + r->first->len;
	return true;
}

bool mp_fold_run_next(struct mp_fold_run *r)
{
	size_t len;

	if (r->at == r->end && !next_chunk(r))
		return false;
	r->kept = get_number(&r->at);
	len = get_number(&r->at);
	r->weight = to_signed(get_number(&r->at));
	r->line.len = r->kept;
	mp_buf_add(&r->line, r->at, len);
	r->at += len;
	return true;
}
