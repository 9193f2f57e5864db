// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that lies about what it has taken and given back: the collector loses data, and nothing
 * else. The input is a sequence of steps: what, which stream, and a number.
 */
#include "lib/capture/ring/queue.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/capture/ring/queue_shared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 20, LIMIT_OTHERS = 16 << 20, CHUNK_MAX = 256 << 10, STREAMS = 5, STEP = 10 };

struct state {
	struct mp_queue *q;
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue_filler fillers[STREAMS];
	struct mp_chunk *held[STREAMS]; /* chunks that are being filled: nobody else gets them */
	struct mp_queue_returns *returns;
};

static void attach(struct state *s)
{
	struct mp_queue_fds fds = mp_queue_fds(s->q);

	s->returns =
		mmap(NULL, sizeof(*s->returns), PROT_READ | PROT_WRITE, MAP_SHARED, fds.returns, 0);
	if (s->returns == MAP_FAILED)
		abort();
}

static void begin(struct state *s)
{
	static const enum mp_queue_type types[STREAMS] = { MP_QUEUE_EVENTS, MP_QUEUE_EVENTS,
							   MP_QUEUE_READINGS, MP_QUEUE_TASKS,
							   MP_QUEUE_STACKS };
	size_t i;

	*s = (struct state){ .q = mp_queue_new(LIMIT, CHUNK_MAX) };
	for (i = 0; i < STREAMS; i++) {
		s->streams[i] = mp_queue_add(s->q, types[i], "fuzzer", (uint32_t)i);
		s->fillers[i] = (struct mp_queue_filler){ s->q, s->streams[i], 1000, NULL };
	}
	attach(s);
}

/* Fills a chunk with its stream's number, or pushes the one that is being filled. */
static void chunk(struct state *s, size_t i, uint64_t n)
{
	struct mp_chunk *c = s->held[i];
	size_t len = n % CHUNK_MAX, j;

	if (!c) {
		c = (n & 1 ? mp_queue_chunk : mp_queue_chunk_always)(s->q, s->streams[i], len);
		if (!c)
			return;
		if (c->cap < len)
			abort();
		c->len = MP_MIN(len, (size_t)256);
		memset(c->data, (int)i, c->len);
		s->held[i] = c;
		return;
	}
	for (j = 0; j < c->len; j++)
		if (c->data[j] != (char)i)
			abort();
	mp_queue_push(s->q, c);
	s->held[i] = NULL;
}

static void put(struct state *s, size_t i, uint64_t n)
{
	struct {
		struct perf_event_header header;
		char data[1024];
	} record = { .header = { .size = (uint16_t)(sizeof(record.header) + n % 1024) } };

	mp_queue_put(&s->fillers[i], &record.header);
}

/* A number that is believed, or any. */
static void lie(uint64_t *which, uint64_t n)
{
	uint64_t now = __atomic_load_n(which, __ATOMIC_RELAXED);

	__atomic_store_n(which, n & 1 ? now + (n >> 1) % 8 : n, __ATOMIC_RELEASE);
}

static void step(struct state *s, uint8_t what, size_t i, uint64_t n)
{
	switch (what % 8) {
	case 0:
		chunk(s, i, n);
		break;
	case 1:
		put(s, i, n);
		break;
	case 2:
		mp_queue_flush(&s->fillers[i]);
		break;
	case 3:
		mp_queue_mark(s->q, n, n);
		break;
	case 4:
		lie(&s->returns->taken, n);
		break;
	case 5:
		lie(&s->returns->handled[i], n);
		break;
	case 6:
		mp_queue_wait_room(s->q, 0);
		break;
	case 7:
		munmap(s->returns, sizeof(*s->returns));
		mp_queue_restart(s->q);
		attach(s);
		break;
	}
}

/* Twice the limit, and the few chunks that a stream gets even then; but for readings. */
static void check(struct state *s)
{
	const size_t few = 3 * CHUNK_MAX;

	if (mp_queue_bytes(s->q, MP_QUEUE_EVENTS) > 2 * LIMIT + 2 * few ||
	    mp_queue_bytes(s->q, MP_QUEUE_READINGS) > 2 * LIMIT ||
	    mp_queue_bytes(s->q, MP_QUEUE_TASKS) > 2 * LIMIT_OTHERS + few ||
	    mp_queue_bytes(s->q, MP_QUEUE_STACKS) > 2 * LIMIT_OTHERS + few)
		abort();
}

static void end(struct state *s)
{
	size_t i;

	for (i = 0; i < STREAMS; i++) {
		mp_queue_flush(&s->fillers[i]);
		if (s->held[i])
			mp_queue_push(s->q, s->held[i]);
	}
	mp_queue_abandon(s->q);
	for (i = 0; i < MP_QUEUE_TYPES; i++)
		if (mp_queue_bytes(s->q, (enum mp_queue_type)i))
			abort();
	munmap(s->returns, sizeof(*s->returns));
	mp_queue_free(s->q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state s;
	uint64_t n;

	begin(&s);
	for (; size >= STEP; data += STEP, size -= STEP) {
		memcpy(&n, data + 2, sizeof(n));
		step(&s, data[0], data[1] % STREAMS, n);
		check(&s);
	}
	end(&s);
	return 0;
}
