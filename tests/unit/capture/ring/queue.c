// SPDX-License-Identifier: GPL-2.0-only
/* Both ends of the queue in one process. */
#include "lib/capture/ring/queue.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/ring/queue_shared.h"
#include "lib/core/clock.h"
#include "tests/unit/tap.h"

enum { LIMIT = 1 << 20, LIMIT_TASKS = 16 << 20, SIZE = 10000, RINGS = 2, CHUNK_MAX = 64 << 20 };

static struct mp_queue_reader *attach(const struct mp_queue *q)
{
	struct mp_queue_fds fds = mp_queue_fds(q);

	return mp_queue_attach(&fds);
}

/* A chunk that is full of a byte. */
static void push(struct mp_queue *q, struct mp_chunk *c, size_t len, char byte)
{
	memset(c->data, byte, len);
	c->len = len;
	mp_queue_push(q, c);
}

/* Pushes chunks of a stream until one is refused. Returns how many it pushed. */
static unsigned fill(struct mp_queue *q, const struct mp_queue_stream *stream, unsigned most)
{
	struct mp_chunk *c;
	unsigned n = 0;

	while (n < most && (c = mp_queue_chunk(q, stream, SIZE))) {
		push(q, c, SIZE, 'x');
		n++;
	}
	return n;
}

/* Handles a chunk or a mark, and gives it back. */
static void give_back(struct mp_queue_reader *r, struct mp_queue_item *item)
{
	mp_queue_done(r, item);
	mp_queue_give_back(r);
}

/* Takes everything, and gives it back. Returns the number of chunks. */
static unsigned drain(struct mp_queue_reader *r)
{
	struct mp_queue_item *item;
	unsigned n = 0;

	while ((item = mp_queue_pop(r, 0))) {
		n += item->stream != NULL;
		give_back(r, item);
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

static void check_streams(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 7);
	const struct mp_queue_stream *late;
	struct mp_queue_reader *r = attach(q);
	struct mp_queue_item *item;

	ok(mp_queue_streams(r) == 1 && tasks->number == 0, "a reader learns of a stream");
	late = mp_queue_add(q, MP_QUEUE_EVENTS, "a name that is too long", 3);
	fill(q, late, 1);
	item = mp_queue_pop(r, 0);
	ok(item && item->stream->number == 1 && item->stream->index == 3 &&
		   item->stream->type == MP_QUEUE_EVENTS &&
		   strcmp(item->stream->owner, "a name that is ") == 0,
	   "also of one that was added after it was attached");
	give_back(r, item);
	ok(mp_queue_streams(r) == 2, "streams are numbered in the order in which they are added");
	mp_queue_detach(r);
	mp_queue_free(q);
}

static void check_limits(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *ring[RINGS], *tasks, *readings;
	struct mp_queue_reader *r = attach(q);
	struct mp_queue_item *item;
	struct mp_chunk *c;
	unsigned n, more;

	ring[0] = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	ring[1] = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 1);
	tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 0);
	readings = mp_queue_add(q, MP_QUEUE_READINGS, "samplers", 0);
	n = fill(q, ring[0], 1000);
	ok(n > 3 && n * (size_t)SIZE <= LIMIT, "one ring fills the queue: %u chunks", n);
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) <= LIMIT, "not beyond its limit");
	ok(fill(q, ring[1], 1000) == 3,
	   "another, for which all may have to wait, gets some all the same");
	item = mp_queue_pop(r, 0);
	ok(item && item->stream->number == 0, "first in, first out");
	give_back(r, item);
	ok(fill(q, ring[0], 1000) == 0, "room beyond the limit is not given again");
	ok(fill(q, tasks, 200) == 200, "records of tasks have a limit of their own");
	ok(mp_queue_bytes(q, MP_QUEUE_STACKS) == 0, "and do not count as stacks");
	fill(q, tasks, 1000000);
	ok(mp_queue_is_full(q, MP_QUEUE_TASKS) && mp_queue_bytes(q, MP_QUEUE_TASKS) == LIMIT_TASKS,
	   "which they do not exceed either");
	n = fill(q, readings, 1000000);
	for (more = 0; more < 10 * n && (c = mp_queue_chunk_always(q, readings, SIZE)); more++)
		push(q, c, SIZE, 'r');
	ok(more == n, "the last records may take as much again, and no more");
	ok(!mp_queue_chunk_always(q, readings, 2 * CHUNK_MAX),
	   "no chunk is larger than the largest");
	mp_queue_detach(r);
	mp_queue_free(q);
}

static void check_handlers(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 0);
	const struct mp_queue_stream *ring = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	struct mp_queue_reader *r = attach(q);
	struct mp_queue_record records[3] = { { .time_ns = 1 } };
	struct handled events = { .calls = 0 };

	mp_queue_set_handler(r, MP_QUEUE_EVENTS, handle, &events);
	mp_queue_handle(r, ring, records, 3);
	mp_queue_handle(r, tasks, records, 1);
	ok(events.calls == 1 && events.records == 3 && events.stream == ring,
	   "a handler gets the records of the streams of its type");
	mp_queue_detach(r);
	mp_queue_free(q);
}

static void check_filler(void)
{
	enum { RECORD = 60000, RECORDS = 5 };
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *tasks = mp_queue_add(q, MP_QUEUE_TASKS, "tracking", 0);
	struct mp_queue_filler f = { q, tasks, RECORD, NULL };
	struct perf_event_header *h = mp_zalloc(RECORD);
	struct mp_queue_reader *r = attach(q);
	size_t whole = 0, chunks = 0, n, i;
	struct mp_queue_item *item;

	h->size = RECORD;
	for (i = 0; i < RECORDS; i++)
		mp_queue_put(&f, h);
	mp_queue_flush(&f);
	for (; (item = mp_queue_pop(r, 0)); chunks++) {
		whole += item->len % RECORD == 0 ? item->len / RECORD : 0;
		give_back(r, item);
	}
	ok(whole == RECORDS && chunks > 1, "records that are put one by one stay complete");
	ok(mp_queue_reserve(&f, RECORD) && mp_queue_bytes(q, MP_QUEUE_TASKS),
	   "room can be reserved");
	mp_queue_flush(&f);
	ok(!mp_queue_bytes(q, MP_QUEUE_TASKS) && !mp_queue_pop(r, 0),
	   "and is given back if nothing is put there");
	for (n = 0; !mp_queue_dropped(q) && n < 10 * LIMIT_TASKS / RECORD; n++)
		mp_queue_put(&f, h);
	mp_queue_flush(&f);
	ok(mp_queue_dropped(q) == 1 && n > LIMIT_TASKS / RECORD &&
		   mp_queue_bytes(q, MP_QUEUE_TASKS) <= 2 * LIMIT_TASKS,
	   "records beyond all limits are dropped and counted");
	mp_queue_detach(r);
	mp_queue_free(q);
	free(h);
}

static bool is_mark(struct mp_queue_reader *r, const struct mp_queue_item *item,
		    uint64_t settled_ns)
{
	bool is = item && !item->stream && item->settled_ns == settled_ns &&
		  item->began_ns == settled_ns - 1;

	if (item)
		give_back(r, (struct mp_queue_item *)item);
	return is;
}

/* A reader that stalls finds one mark, however many rounds there were. */
static void check_marks(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *ring = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	struct mp_queue_reader *r = attach(q);

	fill(q, ring, 1);
	mp_queue_mark(q, 9, 10);
	mp_queue_mark(q, 19, 20);
	give_back(r, mp_queue_pop(r, 0));
	ok(is_mark(r, mp_queue_pop(r, 0), 20), "the last of several marks counts");
	ok(!mp_queue_pop(r, 0), "and is the only one");
	fill(q, ring, 1);
	mp_queue_mark(q, 29, 30);
	fill(q, ring, 1);
	mp_queue_mark(q, 39, 40);
	mp_queue_mark(q, 49, 50);
	give_back(r, mp_queue_pop(r, 0));
	ok(is_mark(r, mp_queue_pop(r, 0), 30), "a mark that chunks follow keeps its place");
	give_back(r, mp_queue_pop(r, 0));
	ok(is_mark(r, mp_queue_pop(r, 0), 50) && !mp_queue_pop(r, 0), "the last one comes last");
	fill(q, ring, 1);
	ok(drain(r) == 1 && !mp_queue_pop(r, 0), "a mark that was taken does not come again");
	mp_queue_mark(q, UINT64_MAX - 1, UINT64_MAX);
	ok(is_mark(r, mp_queue_pop(r, 1000), UINT64_MAX), "the mark of the end comes");
	mp_queue_detach(r);
	mp_queue_free(q);
}

/* Far more chunks and marks than the list of entries has room for; chunks are given back late. */
static void check_wrap(void)
{
	enum { ROUNDS = 30000, LATE = 7 };
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *ring = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	struct mp_queue_reader *r = attach(q);
	struct mp_queue_item *late[LATE] = { NULL };
	unsigned i, wrong = 0, missing = 0;
	struct mp_chunk *c;

	for (i = 0; i < ROUNDS; i++) {
		c = mp_queue_chunk(q, ring, SIZE);
		if (c)
			push(q, c, sizeof(i), (char)i);
		missing += !c;
		mp_queue_mark(q, i, i + 1);
		if (late[i % LATE]) {
			wrong += late[i % LATE]->data[0] != (char)(i - LATE);
			give_back(r, late[i % LATE]);
		}
		late[i % LATE] = mp_queue_pop(r, 0);
		wrong += !is_mark(r, mp_queue_pop(r, 0), i + 1);
	}
	ok(!wrong && !missing, "chunks and marks keep their order when the list wraps");
	for (i = 0; i < LATE; i++)
		give_back(r, late[i]);
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) == 0 && !mp_queue_lies(q), "none of them is lost");
	mp_queue_detach(r);
	mp_queue_free(q);
}

static size_t memory_of(const struct mp_queue *q)
{
	struct stat s;

	return fstat(mp_queue_fds(q).data, &s) < 0 ? SIZE_MAX : (size_t)s.st_blocks * 512;
}

/* After a backlog, spare memory is given back to the system in the course of seconds. */
static void check_memory(void)
{
	enum { LARGE = 32 << 20, LITTLE = 2 << 20 };
	struct mp_queue *q = mp_queue_new(LARGE, LARGE);
	const struct mp_queue_stream *ring = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	struct mp_queue_reader *r = attach(q);
	uint64_t deadline_ns;
	size_t most;

	fill(q, ring, 100000);
	most = memory_of(q);
	drain(r);
	deadline_ns = mp_monotonic_ns() + 60 * MP_NS_PER_SEC;
	while (memory_of(q) > LITTLE && mp_monotonic_ns() < deadline_ns) {
		mp_queue_mark(q, 1, 2);
		usleep(10000);
	}
	ok(most > LARGE / 2 && memory_of(q) <= LITTLE, "a backlog of %zu KiB leaves %zu KiB",
	   most >> 10, memory_of(q) >> 10);
	ok(fill(q, ring, 1) && drain(r) == 1, "memory that was given back can be used again");
	mp_queue_detach(r);
	mp_queue_free(q);
}

/* A reader that lies gets no more than the rest of its own queue, and no wait lasts. */
static void check_lies(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	const struct mp_queue_stream *ring = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", 0);
	struct mp_queue_returns *lies = mmap(NULL, sizeof(*lies), PROT_READ | PROT_WRITE,
					     MAP_SHARED, mp_queue_fds(q).returns, 0);
	static const uint64_t numbers[] = { UINT64_MAX, 1ull << 63, 1000, 1, 0 };
	unsigned n = fill(q, ring, 1000), i;
	uint64_t began_ns;

	for (i = 0; i < MP_ARRAY_SIZE(numbers); i++) {
		lies->handled[0] = lies->taken = n + numbers[i];
		mp_queue_mark(q, 1, 2);
	}
	ok(mp_queue_lies(q) && mp_queue_bytes(q, MP_QUEUE_EVENTS) == 0,
	   "only what was pushed can be given back");
	lies->handled[0] = 0;
	began_ns = mp_monotonic_ns();
	fill(q, ring, 1000);
	mp_queue_wait_room(q, 20);
	ok(mp_monotonic_ns() - began_ns < 10 * MP_NS_PER_SEC &&
		   mp_queue_is_full(q, MP_QUEUE_EVENTS),
	   "who gives nothing back has a full queue");
	/* everything is given back, and nothing was taken: chunks are lost when the list is full */
	for (i = 0; i < 40000; i++) {
		struct mp_chunk *c = mp_queue_chunk_always(q, ring, SIZE);

		if (c)
			push(q, c, SIZE, 'x');
		lies->handled[0] = n + i;
		lies->taken = i % 3 ? 0 : (uint64_t)random() << 32;
	}
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) <= 2 * LIMIT, "random numbers change nothing else");
	mp_queue_abandon(q);
	n = 10 * LIMIT / SIZE;
	ok(fill(q, ring, n) == n && !mp_queue_bytes(q, MP_QUEUE_EVENTS),
	   "a queue without a reader is never full");
	munmap(lies, sizeof(*lies));
	mp_queue_free(q);
}

int main(void)
{
	check_streams();
	check_limits();
	check_handlers();
	check_filler();
	check_marks();
	check_wrap();
	check_memory();
	check_lies();
	return tap_done();
}
