/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the thread that drains the rings and the one that writes: a bounded queue of chunks of
 * records. When it is full the drainer leaves records in their ring, and the kernel counts what
 * does not fit there: so there is one account of losses. Includes base only.
 */
#ifndef MP_CAPTURE_RING_QUEUE_H
#define MP_CAPTURE_RING_QUEUE_H

#include "lib/core/base.h"

enum { MP_CHUNK_MARK = UINT32_MAX };

/*
 * What is in a chunk: events; what was read at an interval; or that without which events have to wait,
 * of tasks, or their stacks.
 */
enum mp_chunk_kind {
	MP_CHUNK_EVENTS,
	MP_CHUNK_READINGS,
	MP_CHUNK_TASKS,
	MP_CHUNK_STACKS,
	MP_CHUNK_KINDS,
};

/* Records of one stream, whole ones, in the order of their ring. Or a mark, without data. */
struct mp_chunk {
	struct mp_chunk *next;
	uint32_t stream;     /* number of the ring; MP_CHUNK_MARK */
	uint32_t refs;	     /* for the reader */
	uint64_t settled_ns; /* mark: everything below was pushed; UINT64_MAX: the end */
	size_t len, cap;
	enum mp_chunk_kind kind;
	char data[] __attribute__((aligned(8)));
};

struct mp_queue;

/* Of chunks of events, and of readings, at most `limit` bytes each, which come from `n_rings` rings. */
struct mp_queue *mp_queue_new(size_t limit, size_t n_rings);
void mp_queue_free(struct mp_queue *q);

/*
 * A chunk with room for `size` bytes for a stream; of events, that of a ring. NULL if the queue is full
 * of readings; or of events, unless hardly any are of this ring: what is in the queue may have to wait
 * for them.
 */
struct mp_chunk *mp_queue_chunk(struct mp_queue *q, size_t size, enum mp_chunk_kind kind,
				uint32_t stream);
void mp_queue_push(struct mp_queue *q, struct mp_chunk *chunk);

size_t mp_queue_bytes(struct mp_queue *q, enum mp_chunk_kind kind);

/* Pushes a mark and wakes the reader. */
void mp_queue_mark(struct mp_queue *q, uint64_t settled_ns);

/* The oldest chunk, or NULL after `timeout_ms` without one. */
struct mp_chunk *mp_queue_pop(struct mp_queue *q, int timeout_ms);

/* Gives a chunk's memory back. */
void mp_queue_recycle(struct mp_queue *q, struct mp_chunk *chunk);

/* Waits until there is room again, or `timeout_ms`. */
void mp_queue_wait_room(struct mp_queue *q, int timeout_ms);

#endif
