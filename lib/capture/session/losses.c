// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/losses.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/clock.h"

#define INTERVAL_NS 1000000000ull

enum {
	COST = 100, /* reading the counters may take one part in so many of the time */
	/*
	 * Task, softirq, interrupt and NMI may each be in the middle of an event; on a starved virtual
	 * machine 5 of them were seen.
	 */
	IN_FLIGHT = 16,
	EVENTS_MAX = 4000, /* whose counts fit into a record */
};

/* A record with the counters of a ring; with `n` 0, it announces that they are being read. */
struct check {
	struct perf_event_header header;
	uint32_t ring;
	uint32_t n;
	struct mp_counts counts[];
	/* a struct check_end follows */
};

struct check_end {
	uint64_t time_ns; /* here mp_ring_record_time() finds the time */
	uint64_t unused;
};

/* The losses of an event on a CPU. */
struct account {
	uint64_t counted;   /* reported losses that the kernel's counter shows */
	uint64_t uncounted; /* reported losses that only the comparison shows */
	uint64_t from_ns;   /* no unreported loss of the second kind was before this time */
	uint64_t begun;	    /* events delivered before the counters were read that come next */
	/* of the latest check: occurrences, and those of them that were delivered or counted as lost */
	uint64_t happened;
	uint64_t before, after; /* before the counters were read, and after that */
	/* of an earlier check: at most this many had been lost by then; 0: there is none */
	uint64_t most, most_ns;
};

struct ring {
	/*
	 * used by the drainer: time of the next check, and the earliest time of one after a full
	 * ring
	 */
	uint64_t due_ns, read_ns;
	/* used by the writer: begin of the latest check, and of the latest whose counters came */
	uint64_t begin_ns, checked_ns;
};

struct mp_losses {
	struct mp_losses_setup s;
	struct mp_losses_sink sink;
	const struct mp_queue_stream *stream;
	struct ring *rings;
	struct account *accounts; /* indexed by ring and event */
	struct mp_counts *counts; /* used by the drainer: room for the counts of a ring */
};

struct mp_losses *mp_losses_new(const struct mp_losses_setup *setup)
{
	uint64_t now = mp_monotonic_ns();
	struct mp_losses *l;
	size_t i;

	if (!setup->rings->has_lost)
		return NULL;
	l = mp_zalloc(sizeof(*l));
	l->s = *setup;
	l->stream = mp_queue_add(setup->queue, MP_QUEUE_READINGS, "counters", 0);
	l->rings = mp_zalloc(setup->rings->n * sizeof(*l->rings));
	l->accounts = mp_zalloc(setup->rings->n * setup->events->n * sizeof(*l->accounts));
	l->counts = mp_zalloc(setup->events->n * sizeof(*l->counts));
	for (i = 0; i < setup->rings->n; i++) /* spread the checks of the rings over the interval */
		l->rings[i].due_ns = now + INTERVAL_NS * (i + 1) / setup->rings->n;
	return l;
}

void mp_losses_free(struct mp_losses *l)
{
	if (!l)
		return;
	free(l->rings);
	free(l->accounts);
	free(l->counts);
	free(l);
}

/* --- counters ----------------------------------------------------------------------------------------- */

void mp_losses_count(const struct mp_losses_setup *s, size_t ring, struct mp_counts *of_events)
{
	struct mp_counts counts;
	size_t i;

	/* before the losses: an event that comes in between must not count as happened and not as lost */
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

bool mp_losses_is_comparable(const struct mp_event *e, const struct mp_tally *t)
{
	return e->each && !t->weighted && !e->own;
}

/* --- drainer ------------------------------------------------------------------------------------------ */

/* Pushes a record. False: the queue is full of readings. */
static bool push(struct mp_losses *l, size_t ring, const struct mp_counts *counts, size_t n)
{
	size_t size = sizeof(struct check) + n * sizeof(*counts) + sizeof(struct check_end);
	struct mp_chunk *chunk = mp_queue_chunk(l->s.queue, l->stream, size);
	struct check_end end = { .time_ns = mp_monotonic_ns() };
	struct check *c;

	if (!chunk)
		return false;
	c = (struct check *)chunk->data;
	*c = (struct check){ .ring = (uint32_t)ring, .n = (uint32_t)n };
	c->header = (struct perf_event_header){ .type = MP_CHECKED, .size = (uint16_t)size };
	if (n)
		memcpy(c->counts, counts, n * sizeof(*counts));
	memcpy(chunk->data + size - sizeof(end), &end, sizeof(end));
	chunk->len = size;
	mp_queue_push(l->s.queue, chunk);
	return true;
}

void mp_losses_check(struct mp_losses *l, size_t ring, bool was_full)
{
	struct ring *r = &l->rings[ring];
	uint64_t begin = mp_monotonic_ns(), end;

	if (begin < (was_full ? r->read_ns : r->due_ns) || l->s.events->n > EVENTS_MAX ||
	    !push(l, ring, NULL, 0))
		return;
	mp_losses_count(&l->s, ring, l->counts);
	push(l, ring, l->counts, l->s.events->n);
	end = mp_monotonic_ns();
	r->read_ns = end + COST * (end - begin);
	r->due_ns = MP_MAX(begin + INTERVAL_NS, r->read_ns);
}

/* --- writer ------------------------------------------------------------------------------------------- */

void mp_losses_set_sink(struct mp_losses *l, const struct mp_losses_sink *sink)
{
	l->sink = *sink;
}

static void put(struct mp_losses *l, size_t ring, size_t event, uint64_t n, uint64_t from_ns,
		uint64_t time_ns)
{
	const struct mp_ctl loss = {
		.lost = n,
		.from_ns = MP_MIN(MP_MAX(from_ns, *l->sink.start_ns), time_ns),
		.time_ns = time_ns,
		.cpu = l->s.rings->v[ring].cpu,
		.type = l->s.events->v[event].type,
	};

	l->sink.put(l->sink.arg, ring, &loss);
}

/*
 * Reports what the kernel has counted since the previous check. It was lost after that check, and
 * after the last record of the ring; or after the record before the loss, if the ring says which
 * that is.
 */
static void put_counted(struct mp_losses *l, size_t ring, const struct mp_counts *counts,
			uint64_t time_ns)
{
	struct mp_ring_tally *t = &l->sink.rings[ring];
	uint64_t from_ns = t->full_from_ns ? t->full_from_ns : t->last_ns;
	size_t i;

	from_ns = MP_MAX(from_ns, l->rings[ring].checked_ns);
	for (i = 0; i < l->s.events->n; i++) {
		struct account *a = &l->accounts[ring * l->s.events->n + i];

		if (counts[i].lost <= a->counted)
			continue;
		put(l, ring, i, counts[i].lost - a->counted, from_ns, time_ns);
		a->counted = counts[i].lost;
	}
	t->full_from_ns = 0;
}

static uint64_t delivered(const struct mp_losses *l, size_t at)
{
	return l->sink.tally[at].written + l->sink.tally[at].excluded;
}

/*
 * Reports the losses up to the latest check that nothing counted: occurrences that were neither
 * delivered nor counted as lost, though by now they should have been. An event that was in flight
 * while the counters were read became one or the other later, so as many as did are assumed to have
 * been in flight, but at most one of each kind of context. So a later check reports some of the
 * losses; `from_ns` is the time of the last check at which all losses so far were reported.
 * `known` is the number of events that were delivered or counted as lost by now.
 */
static void settle(struct mp_losses *l, size_t ring, size_t event, uint64_t known, uint64_t time_ns)
{
	size_t at = ring * l->s.events->n + event;
	struct account *a = &l->accounts[at];
	uint64_t least = a->after + a->uncounted + MP_MIN(known - a->after, (uint64_t)IN_FLIGHT);
	uint64_t most = a->happened - MP_MIN(a->before, a->happened), lost;

	if (!mp_losses_is_comparable(&l->s.events->v[event], &l->sink.tally[at]))
		return;
	lost = a->happened - MP_MIN(least, a->happened);
	if (lost) {
		put(l, ring, event, lost, a->from_ns, time_ns);
		a->uncounted += lost;
	}
	if (a->most_ns && a->most <= a->uncounted) {
		a->from_ns = a->most_ns;
		a->most_ns = 0;
	}
	if (!a->most_ns || most <= a->most) {
		a->most = most;
		a->most_ns = l->rings[ring].checked_ns;
	}
	if (most <= a->uncounted) {
		a->from_ns = l->rings[ring].checked_ns;
		a->most_ns = 0;
	}
}

/* Reports the losses of the preceding check, and what the kernel has counted since. */
static void compare(struct mp_losses *l, size_t ring, const struct mp_counts *counts,
		    uint64_t time_ns)
{
	size_t i, first = ring * l->s.events->n;

	for (i = 0; i < l->s.events->n; i++)
		settle(l, ring, i, delivered(l, first + i) + counts[i].lost, time_ns);
	put_counted(l, ring, counts, time_ns);
	for (i = 0; i < l->s.events->n; i++) {
		struct account *a = &l->accounts[first + i];

		a->happened = counts[i].count;
		a->before = a->begun + counts[i].lost;
		a->after = delivered(l, first + i) + counts[i].lost;
	}
	l->rings[ring].checked_ns = l->rings[ring].begin_ns;
}

static void begin(struct mp_losses *l, size_t ring, uint64_t time_ns)
{
	size_t i, first = ring * l->s.events->n;

	for (i = 0; i < l->s.events->n; i++)
		l->accounts[first + i].begun = delivered(l, first + i);
	l->rings[ring].begin_ns = time_ns;
}

void mp_losses_checked(struct mp_losses *l, const struct perf_event_header *record)
{
	const struct check *c = (const struct check *)record;
	uint64_t time_ns = mp_ring_record_time(record);

	if (c->n)
		compare(l, c->ring, c->counts, time_ns);
	else
		begin(l, c->ring, time_ns);
}

void mp_losses_end(struct mp_losses *l, uint64_t until_ns, const struct mp_counts *counts)
{
	size_t ring, event;

	for (ring = 0; ring < l->s.rings->n; ring++) {
		begin(l, ring, until_ns);
		compare(l, ring, counts + ring * l->s.events->n, until_ns);
		for (event = 0; event < l->s.events->n; event++)
			settle(l, ring, event, l->accounts[ring * l->s.events->n + event].after,
			       until_ns);
	}
}
