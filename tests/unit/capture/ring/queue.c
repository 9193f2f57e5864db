// SPDX-License-Identifier: GPL-2.0-only
/* The queue between the draining and the writing thread. */
#include "lib/capture/ring/queue.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

enum { LIMIT = 1 << 20, TASKS = 16 << 20, SIZE = 10000, RINGS = 2 };

/* Pushes chunks of a stream until one is refused. Returns how many it pushed. */
static unsigned fill(struct mp_queue *q, const struct mp_queue_stream *stream, unsigned most)
{
	struct mp_chunk *c;
	unsigned n = 0;

	while (n < most && (c = mp_queue_chunk(q, stream, SIZE))) {
		mp_queue_push(q, c);
		n++;
	}
	return n;
}

struct handled {
	const struct mp_queue_stream *stream;
	size_t calls, records;
};

static void handle(void *arg, const struct mp_queue_stream *stream,
		   const struct mp_queue_record *records, size_t n)
{
	struct handled *h = arg;

	(void)records;
	h->stream = stream;
	h->calls++;
	h->records += n;
}

static void check_limits(struct mp_queue *q, const struct mp_queue_stream *const ring[RINGS],
			 const struct mp_queue_stream *tasks)
{
	unsigned n = fill(q, ring[0], 1000);
	struct mp_chunk *c;

	ok(n > 3 && n * (size_t)SIZE <= LIMIT, "one ring fills the queue: %u chunks", n);
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) <= LIMIT, "not beyond its limit");
	ok(fill(q, ring[1], 1000) == 3,
	   "another, for which all may have to wait, gets some all the same");
	c = mp_queue_pop(q, 0);
	ok(c && c->stream == ring[0], "first in, first out");
	mp_queue_recycle(q, c);
	ok(fill(q, ring[0], 1000) == 0, "room beyond the limit is not given again");
	ok(fill(q, tasks, 200) == 200, "records of tasks have a limit of their own");
	ok(mp_queue_bytes(q, MP_QUEUE_STACKS) == 0, "and do not count as stacks");
	fill(q, tasks, 1000000);
	ok(mp_queue_is_full(q, MP_QUEUE_TASKS) == (mp_queue_bytes(q, MP_QUEUE_TASKS) >= TASKS) &&
		   mp_queue_bytes(q, MP_QUEUE_TASKS) <= TASKS,
	   "which they do not exceed either");
}

static void check_handlers(struct mp_queue *q, const struct mp_queue_stream *ring,
			   const struct mp_queue_stream *tasks)
{
	struct mp_queue_record records[3] = { { .time_ns = 1 } };
	struct handled events = { .calls = 0 };

	mp_queue_set_handler(q, MP_QUEUE_EVENTS, handle, &events);
	mp_queue_handle(q, ring, records, 3);
	mp_queue_handle(q, tasks, records, 1);
	ok(events.calls == 1 && events.records == 3 && events.stream == ring,
	   "a handler gets the records of the streams of its type");
}

static void check_filler(struct mp_queue *q, const struct mp_queue_stream *tasks)
{
	enum { RECORD = 60000, RECORDS = 5 };
	struct mp_queue_filler f = { q, tasks, RECORD, NULL };
	struct perf_event_header *h = mp_zalloc(RECORD);
	size_t whole = 0, chunks = 0, i;
	struct mp_chunk *c;

	h->size = RECORD;
	for (i = 0; i < RECORDS; i++)
		mp_queue_put(&f, h);
	mp_queue_flush(&f);
	for (; (c = mp_queue_pop(q, 0)); chunks++) {
		whole += c->stream == tasks && c->len % RECORD == 0 ? c->len / RECORD : 0;
		mp_queue_recycle(q, c);
	}
	ok(whole == RECORDS && chunks > 1, "records that are put one by one stay complete");
	ok(mp_queue_reserve(&f, RECORD) && mp_queue_bytes(q, MP_QUEUE_TASKS),
	   "room can be reserved");
	mp_queue_flush(&f);
	ok(!mp_queue_bytes(q, MP_QUEUE_TASKS) && !mp_queue_pop(q, 0),
	   "and is given back if nothing is put there");
	free(h);
}

/* A reader that stalls finds one mark, however many rounds there were. */
static void check_marks(struct mp_queue *q, const struct mp_queue_stream *ring)
{
	struct mp_chunk *mark;

	fill(q, ring, 1);
	mp_queue_mark(q, 1, 10);
	mp_queue_mark(q, 2, 20);
	mp_queue_recycle(q, mp_queue_pop(q, 0));
	mark = mp_queue_pop(q, 0);
	ok(mark && !mark->stream && mark->began_ns == 2 && mark->settled_ns == 20,
	   "the last of several marks counts");
	mp_queue_recycle(q, mark);
	ok(!mp_queue_pop(q, 0), "and is the only one");
}

int main(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT);
	const struct mp_queue_stream *ring[RINGS], *tasks;
	uint32_t i;

	for (i = 0; i < RINGS; i++)
		ring[i] = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", i);
	tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 0);
	ok(mp_queue_streams(q) == RINGS + 1 && tasks->number == RINGS && ring[1]->index == 1,
	   "streams are numbered in the order in which they are added");
	check_limits(q, ring, tasks);
	mp_queue_free(q);
	q = mp_queue_new(LIMIT);
	tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 0);
	ring[0] = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	check_handlers(q, ring[0], tasks);
	check_filler(q, tasks);
	check_marks(q, ring[0]);
	mp_queue_free(q);
	return tap_done();
}
