// SPDX-License-Identifier: GPL-2.0-only
/* The queue between the draining and the writing thread. */
#include "lib/capture/ring/queue.h"
#include "tests/unit/tap.h"

enum { LIMIT = 1 << 20, SIZE = 10000, RINGS = 2 };

/* Chunks that a stream gets until it is refused; they are pushed. */
static unsigned fill(struct mp_queue *q, enum mp_chunk_kind kind, uint32_t stream, unsigned most)
{
	struct mp_chunk *c;
	unsigned n = 0;

	while (n < most && (c = mp_queue_chunk(q, SIZE, kind, stream))) {
		mp_queue_push(q, c);
		n++;
	}
	return n;
}

int main(void)
{
	struct mp_queue *q = mp_queue_new(LIMIT, RINGS);
	struct mp_chunk *c;
	unsigned n = fill(q, MP_CHUNK_EVENTS, 0, 1000);

	ok(n > 3 && n * (size_t)SIZE <= LIMIT, "one ring fills the queue: %u chunks", n);
	ok(mp_queue_bytes(q, MP_CHUNK_EVENTS) <= LIMIT, "not beyond its limit");
	ok(fill(q, MP_CHUNK_EVENTS, 1, 1000) == 3,
	   "another, for which all may have to wait, gets some all the same");
	c = mp_queue_pop(q, 0);
	ok(c && c->stream == 0, "first in, first out");
	mp_queue_recycle(q, c);
	ok(fill(q, MP_CHUNK_EVENTS, 0, 1000) == 0, "room beyond the limit is not given again");
	ok(fill(q, MP_CHUNK_TASKS, RINGS, 200) == 200, "records of tasks always have room");
	ok(mp_queue_bytes(q, MP_CHUNK_STACKS) == 0, "and do not count as stacks");
	mp_queue_free(q);
	return tap_done();
}
