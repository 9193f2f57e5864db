// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/capture/host/thread.h"

enum {
	CLASS_MIN_SHIFT = 14, /* chunks of 16 KiB, 32 KiB and so on */
	CLASSES = 20,
	/*
	 * The number of chunks that a ring may have even if the queue is full. The writer has to
	 * wait for the ring whose records are oldest. It can write all its chunks but one or two,
	 * since an event that was interrupted may be older than those before it.
	 */
	CHUNKS_EACH = 3,
	MAPPED_BYTES = 128 << 10,
	LIMIT_TASKS = 16 << 20,
	LIMIT_STACKS = 16 << 20,
};

struct stream {
	struct mp_queue_stream is; /* first member: what users of the queue see of it */
	unsigned chunks;	   /* number of chunks in use */
};

struct mp_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	struct mp_chunk *first, *last; /* `last` is valid only if there is a first */
	struct mp_chunk *spare[CLASSES];
	size_t bytes[MP_QUEUE_TYPES]; /* bytes of the chunks in use */
	size_t spare_bytes;
	size_t limits[MP_QUEUE_TYPES];
	struct stream **streams;
	size_t n_streams, cap_streams;
	struct {
		mp_queue_handler *call;
		void *arg;
	} handlers[MP_QUEUE_TYPES];
};

struct mp_queue *mp_queue_new(size_t limit)
{
	struct mp_queue *q = mp_zalloc(sizeof(*q));
	pthread_condattr_t monotonic;

	/* freed large chunks go back to the system, and do not fragment a heap */
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	mp_thread_mutex(&q->lock);
	pthread_cond_init(&q->filled, &monotonic);
	pthread_cond_init(&q->freed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	q->limits[MP_QUEUE_EVENTS] = limit;
	q->limits[MP_QUEUE_READINGS] = limit;
	q->limits[MP_QUEUE_TASKS] = LIMIT_TASKS;
	q->limits[MP_QUEUE_STACKS] = LIMIT_STACKS;
	return q;
}

const struct mp_queue_stream *mp_queue_add(struct mp_queue *q, enum mp_queue_type type,
					   const char *owner, uint32_t index)
{
	struct stream *s = mp_zalloc(sizeof(*s));

	s->is = (struct mp_queue_stream){
		.type = type,
		.owner = owner,
		.index = index,
		.number = (uint32_t)q->n_streams,
	};
	q->streams = mp_grow(q->streams, &q->cap_streams, q->n_streams + 1, sizeof(*q->streams));
	q->streams[q->n_streams++] = s;
	return &s->is;
}

size_t mp_queue_streams(const struct mp_queue *q)
{
	return q->n_streams;
}

void mp_queue_set_handler(struct mp_queue *q, enum mp_queue_type type, mp_queue_handler *handler,
			  void *arg)
{
	q->handlers[type].call = handler;
	q->handlers[type].arg = arg;
}

void mp_queue_handle(struct mp_queue *q, const struct mp_queue_stream *stream,
		     const struct mp_queue_record *records, size_t n)
{
	if (q->handlers[stream->type].call)
		q->handlers[stream->type].call(q->handlers[stream->type].arg, stream, records, n);
}

static void free_list(struct mp_chunk *c)
{
	struct mp_chunk *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
}

void mp_queue_free(struct mp_queue *q)
{
	size_t i;

	if (!q)
		return;
	free_list(q->first);
	for (i = 0; i < CLASSES; i++)
		free_list(q->spare[i]);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->filled);
	pthread_cond_destroy(&q->freed);
	for (i = 0; i < q->n_streams; i++)
		free(q->streams[i]);
	free(q->streams);
	free(q);
}

static int class_of(size_t size)
{
	int class = 0;

	while (class + 1 < CLASSES && (size_t)1 << (CLASS_MIN_SHIFT + class) < size)
		class ++;
	return class;
}

static struct stream *stream_of(const struct mp_queue *q, const struct mp_queue_stream *stream)
{
	return q->streams[stream->number];
}

static bool may_have(struct mp_queue *q, size_t cap, const struct mp_queue_stream *stream)
{
	if (q->bytes[stream->type] + cap <= q->limits[stream->type])
		return true;
	return stream->type != MP_QUEUE_READINGS && stream_of(q, stream)->chunks < CHUNKS_EACH;
}

static struct mp_chunk *get_chunk(struct mp_queue *q, const struct mp_queue_stream *stream,
				  size_t size, bool always)
{
	int class = class_of(size + sizeof(struct mp_chunk));
	size_t cap = ((size_t)1 << (CLASS_MIN_SHIFT + class)) - sizeof(struct mp_chunk);
	struct mp_chunk *c = NULL;

	pthread_mutex_lock(&q->lock);
	if (always || may_have(q, cap, stream)) {
		c = q->spare[class];
		if (c) {
			q->spare[class] = c->next;
			q->spare_bytes -= cap;
		}
		q->bytes[stream->type] += cap;
		stream_of(q, stream)->chunks++;
	} else {
		cap = 0;
	}
	pthread_mutex_unlock(&q->lock);
	if (!cap)
		return NULL;
	if (!c)
		c = mp_alloc(sizeof(*c) + cap);
	*c = (struct mp_chunk){ .cap = cap, .stream = stream };
	return c;
}

struct mp_chunk *mp_queue_chunk(struct mp_queue *q, const struct mp_queue_stream *stream,
				size_t size)
{
	return get_chunk(q, stream, size, false);
}

struct mp_chunk *mp_queue_chunk_always(struct mp_queue *q, const struct mp_queue_stream *stream,
				       size_t size)
{
	return get_chunk(q, stream, size, true);
}

static void push_locked(struct mp_queue *q, struct mp_chunk *chunk)
{
	chunk->next = NULL;
	if (q->first)
		q->last->next = chunk;
	else
		q->first = chunk;
	q->last = chunk;
}

void mp_queue_push(struct mp_queue *q, struct mp_chunk *chunk)
{
	pthread_mutex_lock(&q->lock);
	push_locked(q, chunk);
	pthread_mutex_unlock(&q->lock);
}

void mp_queue_mark(struct mp_queue *q, uint64_t began_ns, uint64_t settled_ns)
{
	struct mp_chunk *mark;

	pthread_mutex_lock(&q->lock);
	if (!q->first || q->last->stream) {
		mark = mp_alloc(sizeof(*mark));
		*mark = (struct mp_chunk){ .stream = NULL };
		push_locked(q, mark);
	}
	q->last->began_ns = began_ns;
	q->last->settled_ns = settled_ns;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

static struct timespec time_after(int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += timeout_ms % 1000 * 1000000l;
	until.tv_sec += timeout_ms / 1000 + until.tv_nsec / 1000000000l;
	until.tv_nsec %= 1000000000l;
	return until;
}

struct mp_chunk *mp_queue_pop(struct mp_queue *q, int timeout_ms)
{
	struct timespec until = time_after(timeout_ms);
	struct mp_chunk *c;

	pthread_mutex_lock(&q->lock);
	if (!q->first)
		pthread_cond_timedwait(&q->filled, &q->lock, &until);
	c = q->first;
	if (c)
		q->first = c->next;
	pthread_mutex_unlock(&q->lock);
	return c;
}

void mp_queue_recycle(struct mp_queue *q, struct mp_chunk *chunk)
{
	int class;

	if (!chunk->stream) {
		free(chunk);
		return;
	}
	class = class_of(chunk->cap + sizeof(*chunk));
	pthread_mutex_lock(&q->lock);
	q->bytes[chunk->stream->type] -= chunk->cap;
	stream_of(q, chunk->stream)->chunks--;
	if (q->spare_bytes + chunk->cap <= q->limits[MP_QUEUE_EVENTS] / 2) {
		q->spare_bytes += chunk->cap;
		chunk->next = q->spare[class];
		q->spare[class] = chunk;
		chunk = NULL;
	}
	pthread_cond_signal(&q->freed);
	pthread_mutex_unlock(&q->lock);
	free(chunk);
}

void mp_queue_flush(struct mp_queue_filler *f)
{
	if (f->chunk && f->chunk->len)
		mp_queue_push(f->queue, f->chunk);
	else if (f->chunk)
		mp_queue_recycle(f->queue, f->chunk);
	f->chunk = NULL;
}

bool mp_queue_reserve(struct mp_queue_filler *f, size_t size)
{
	if (f->chunk && f->chunk->cap - f->chunk->len < size)
		mp_queue_flush(f);
	if (!f->chunk)
		f->chunk = mp_queue_chunk(f->queue, f->stream, f->bytes);
	return f->chunk;
}

void mp_queue_put(struct mp_queue_filler *f, const struct perf_event_header *record)
{
	if (!mp_queue_reserve(f, record->size))
		f->chunk = mp_queue_chunk_always(f->queue, f->stream, f->bytes);
	memcpy(f->chunk->data + f->chunk->len, record, record->size);
	f->chunk->len += record->size;
}

size_t mp_queue_bytes(struct mp_queue *q, enum mp_queue_type type)
{
	size_t bytes;

	pthread_mutex_lock(&q->lock);
	bytes = q->bytes[type];
	pthread_mutex_unlock(&q->lock);
	return bytes;
}

bool mp_queue_is_full(struct mp_queue *q, enum mp_queue_type type)
{
	return mp_queue_bytes(q, type) >= q->limits[type];
}

static bool has_little_room(const struct mp_queue *q)
{
	size_t i;

	for (i = 0; i < MP_QUEUE_TYPES; i++)
		if (q->bytes[i] > q->limits[i] / 2)
			return true;
	return false;
}

void mp_queue_wait_room(struct mp_queue *q, int timeout_ms)
{
	struct timespec until = time_after(timeout_ms);

	pthread_mutex_lock(&q->lock);
	while (has_little_room(q))
		if (pthread_cond_timedwait(&q->freed, &q->lock, &until) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&q->lock);
}
