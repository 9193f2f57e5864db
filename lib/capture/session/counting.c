// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/counting.h"

#include <stdlib.h>

#include "lib/core/clock.h"

#define INTERVAL_NS 1000000000ull

enum {
	COST = 100, /* reading the counters may take 1/COST of the time */
	/* events whose counts fit into a record */
	EVENTS_MAX = (MP_CUT_BODY_MAX - sizeof(struct mp_cut_check)) / sizeof(struct mp_counts),
};

struct ring {
	/* when the next check is due, and the earliest time of a check after the ring was full */
	uint64_t due_ns, read_ns;
};

struct mp_counting {
	struct mp_counting_setup s;
	const struct mp_queue_stream *stream;
	struct ring *rings;
	struct mp_cut_check *check; /* with room for the counts of a ring */
};

static size_t check_bytes(size_t n)
{
	return sizeof(struct mp_cut_check) + n * sizeof(struct mp_counts);
}

struct mp_counting *mp_counting_new(const struct mp_counting_setup *setup)
{
	uint64_t now = mp_monotonic_ns();
	struct mp_counting *c;
	size_t i;

	if (!setup->rings->has_lost)
		return NULL;
	c = mp_zalloc(sizeof(*c));
	c->s = *setup;
	c->stream = mp_queue_add(setup->queue, MP_QUEUE_READINGS, "counters", 0);
	c->rings = mp_zalloc(setup->rings->n * sizeof(*c->rings));
	c->check = mp_zalloc(check_bytes(setup->events->n));
	for (i = 0; i < setup->rings->n; i++) /* spread the checks of the rings over the interval */
		c->rings[i].due_ns = now + INTERVAL_NS * (i + 1) / setup->rings->n;
	return c;
}

void mp_counting_free(struct mp_counting *c)
{
	if (!c)
		return;
	free(c->rings);
	free(c->check);
	free(c);
}

/* Totals of the counters of a ring's events. */
static void count(const struct mp_counting_setup *s, size_t ring, struct mp_counts *of_events)
{
	struct mp_counts counts;
	size_t i;

	/*
	 * read before the losses: an event in between must not count as having happened but not as
	 * lost
	 */
	for (i = 0; i < s->events->n; i++)
		of_events[i] = (struct mp_counts){
			.count = cap_sources_account(s->sources, i, s->rings->v[ring].cpu),
		};
	for (i = 0; i < s->rings->n_counters; i++) {
		const struct mp_counter *c = &s->rings->counters[i];

		if (c->ring != ring || !mp_counter_read(s->rings, c, &counts))
			continue;
		of_events[c->event].count += counts.count;
		of_events[c->event].lost += counts.lost;
	}
}

struct mp_counts *mp_counting_all(const struct mp_counting_setup *s)
{
	struct mp_counts *counts = mp_zalloc(s->rings->n * s->events->n * sizeof(*counts));
	size_t i;

	for (i = 0; i < s->rings->n; i++)
		count(s, i, counts + i * s->events->n);
	for (i = 0; s->rings->n && i < s->events->n; i++) /* those on an unknown CPU */
		counts[i].count += cap_sources_account(s->sources, i, -1);
	return counts;
}

/* Pushes c->check with `n` counts. False: the queue is full of readings. */
static bool push(struct mp_counting *c, size_t ring, size_t n)
{
	size_t len = check_bytes(n), size = mp_cut_record_size(len);
	struct mp_chunk *chunk = mp_queue_chunk(c->s.queue, c->stream, size);

	if (!chunk)
		return false;
	c->check->ring = (uint32_t)ring;
	c->check->n = (uint32_t)n;
	mp_cut_record_put(chunk->data, MP_CUT_CHECK, c->check, len, mp_monotonic_ns());
	chunk->len = size;
	mp_queue_push(c->s.queue, chunk);
	return true;
}

void mp_counting_check(struct mp_counting *c, size_t ring, bool was_full)
{
	struct ring *r = &c->rings[ring];
	uint64_t begin = mp_monotonic_ns(), end;

	if (begin < (was_full ? r->read_ns : r->due_ns) || c->s.events->n > EVENTS_MAX ||
	    !push(c, ring, 0))
		return;
	count(&c->s, ring, c->check->counts);
	push(c, ring, c->s.events->n);
	end = mp_monotonic_ns();
	r->read_ns = end + COST * (end - begin);
	r->due_ns = MP_MAX(begin + INTERVAL_NS, r->read_ns);
}
