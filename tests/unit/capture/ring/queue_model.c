// SPDX-License-Identifier: GPL-2.0-only
/* The queue and a simple model of it do the same at random: limits, order, marks, contents. */
#include <stdlib.h>
#include <string.h>

#include "lib/capture/ring/queue.h"
#include "lib/capture/ring/queue_reader.h"
#include "tests/unit/tap.h"

enum {
	LIMIT = 2 << 20,
	LIMIT_OTHERS = 16 << 20,
	CHUNK_LEAST = 16 << 10,
	STREAMS = 9,
	STEPS = 60000
};

/* A chunk that the model knows of, or a mark. */
struct known {
	int stream; /* -1: a mark */
	size_t len, cap;
	uint32_t seed;	     /* of its contents; of a mark: when it began */
	uint64_t settled_ns; /* of a mark */
	bool done;
	struct mp_queue_item *item; /* taken */
};

struct model {
	struct known *v; /* all that was ever pushed, in order */
	size_t n, cap, taken;
	size_t bytes[MP_QUEUE_TYPES];
	unsigned chunks[STREAMS];
	unsigned wrong, refused;
	uint64_t settled_ns; /* the greatest of the marks, which no later one is below */
};

static struct mp_queue *q;
static struct mp_queue_reader *r;
static const struct mp_queue_stream *streams[STREAMS];

static bool at_random(unsigned one_in)
{
	return (unsigned)random() % one_in == 0;
}

static void write_contents(char *p, size_t len, uint32_t seed)
{
	size_t i;

	for (i = 0; i < len; i += 64)
		p[i] = (char)(seed + i / 64);
	p[len - 1] = (char)seed;
}

static bool has_contents(const char *p, size_t len, uint32_t seed)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 64)
		if (p[i] != (char)(seed + i / 64))
			return false;
	return p[len - 1] == (char)seed;
}

static size_t limit_of(enum mp_queue_type type)
{
	return type == MP_QUEUE_EVENTS || type == MP_QUEUE_READINGS ? LIMIT : LIMIT_OTHERS;
}

static bool should_get(const struct model *m, int stream, size_t cap, bool always)
{
	enum mp_queue_type type = streams[stream]->type;
	size_t bytes = m->bytes[type] + cap;

	return bytes <= limit_of(type) || (type != MP_QUEUE_READINGS && m->chunks[stream] < 3) ||
	       (always && bytes <= 2 * limit_of(type));
}

static struct known *add(struct model *m)
{
	m->v = mp_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n] = (struct known){ .seed = (uint32_t)random() };
	return &m->v[m->n++];
}

static void push(struct model *m)
{
	size_t size = 1 + (size_t)random() % ((size_t)1 << random() % 20), cap = CHUNK_LEAST;
	int stream = (int)(random() % STREAMS);
	bool always = at_random(20);
	struct mp_chunk *c =
		(always ? mp_queue_chunk_always : mp_queue_chunk)(q, streams[stream], size);
	struct known *k;

	while (cap < size)
		cap *= 2;
	m->wrong += should_get(m, stream, cap, always) != (c != NULL);
	m->refused += !c;
	if (!c)
		return;
	m->wrong += c->cap != cap || (uintptr_t)c->data % CHUNK_LEAST % 4096;
	if (at_random(50)) { /* an empty chunk is given back */
		mp_queue_push(q, c);
		return;
	}
	k = add(m);
	k->stream = stream;
	k->len = c->len = size;
	k->cap = cap;
	write_contents(c->data, size, k->seed);
	mp_queue_push(q, c);
	m->bytes[streams[stream]->type] += cap;
	m->chunks[stream]++;
}

static void mark(struct model *m)
{
	struct known *k = m->n > m->taken && m->v[m->n - 1].stream < 0 ? &m->v[m->n - 1] : add(m);

	k->stream = -1;
	k->seed = (uint32_t)random();
	mp_queue_mark(q, k->seed, k->seed + 1ull);
	m->settled_ns = MP_MAX(m->settled_ns, k->seed + 1ull);
	k->settled_ns = m->settled_ns;
}

static void take(struct model *m)
{
	struct mp_queue_item *item = mp_queue_pop(r, 0);
	struct known *k = m->taken < m->n ? &m->v[m->taken] : NULL;

	m->wrong += !item != !k;
	if (!item || !k)
		return;
	m->taken++;
	k->item = item;
	if (k->stream >= 0) {
		m->wrong += !item->stream || item->stream->number != (uint32_t)k->stream ||
			    item->len != k->len;
		return;
	}
	m->wrong += item->stream || item->began_ns != k->seed || item->settled_ns != k->settled_ns;
	k->done = true;
	mp_queue_done(r, item);
	mp_queue_give_back(r);
}

/* Gives back one of the oldest, out of order; the chunks of a stream become free in order. */
static void give_back(struct model *m, size_t *oldest)
{
	size_t i = *oldest + (size_t)random() % 8, j;
	struct known *k;

	if (i >= m->taken || m->v[i].done || m->v[i].stream < 0)
		return;
	k = &m->v[i];
	m->wrong += !has_contents(k->item->data, k->len, k->seed);
	mp_queue_done(r, k->item);
	mp_queue_give_back(r);
	k->done = true;
	for (j = *oldest; j < m->taken && (m->v[j].stream != k->stream || m->v[j].done); j++) {
		if (m->v[j].stream != k->stream || !m->v[j].item)
			continue;
		m->bytes[streams[k->stream]->type] -= m->v[j].cap;
		m->chunks[k->stream]--;
		m->v[j].item = NULL;
	}
	while (*oldest < m->taken && m->v[*oldest].done &&
	       !(m->v[*oldest].stream >= 0 && m->v[*oldest].item))
		++*oldest;
}

/* `busy`: how much more is pushed than read. */
static void run(struct model *m, unsigned busy)
{
	size_t oldest = 0, type;
	unsigned i;

	for (i = 0; i < STEPS; i++) {
		if (at_random(busy))
			push(m);
		if (at_random(5))
			mark(m);
		if (at_random(3))
			take(m);
		if (at_random(2))
			give_back(m, &oldest);
		for (type = 0; type < MP_QUEUE_TYPES && i % 64 == 0; type++)
			m->wrong += mp_queue_bytes(q, (enum mp_queue_type)type) != m->bytes[type];
	}
}

int main(void)
{
	static const enum mp_queue_type types[] = { MP_QUEUE_EVENTS, MP_QUEUE_READINGS,
						    MP_QUEUE_TASKS, MP_QUEUE_STACKS };
	unsigned busy;
	uint32_t i;

	for (busy = 1; busy <= 4; busy++) {
		struct model m = { .v = NULL };
		struct mp_queue_fds fds;

		q = mp_queue_new(LIMIT, LIMIT);
		for (i = 0; i < STREAMS; i++)
			streams[i] = mp_queue_add(q, types[i % 4], "owner", i);
		fds = mp_queue_fds(q);
		r = mp_queue_attach(&fds);
		run(&m, busy);
		ok(!m.wrong && !mp_queue_lies(q),
		   "%zu chunks and marks, %u of them refused: as the model", m.n, m.refused);
		mp_queue_detach(r);
		mp_queue_free(q);
		free(m.v);
	}
	return tap_done();
}
