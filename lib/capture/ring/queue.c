// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/memfd.h"
#include "lib/capture/host/thread.h"
#include "lib/capture/ring/queue_shared.h"
#include "lib/core/clock.h"

enum {
	CLASS_MIN_SHIFT = 14, /* chunks of 16 KiB, 32 KiB and so on */
	CLASSES = 26,
	CHUNK_MAX = 16 << 20, /* the least limit on chunk size: a sample of 80,000 processes */
	/*
	 * The number of chunks that a ring may have even if the queue is full. Without them the
	 * writer, which merges by time, might wait forever for the ring whose records are oldest.
	 * Of that ring it can write all chunks but the last one or two: an event that was
	 * interrupted while it was recorded may be older than those before it.
	 */
	CHUNKS_EACH = 3,
	LIMIT_TASKS = 16 << 20,
	LIMIT_STACKS = 16 << 20,
	/*
	 * How often a full queue checks what the reader has given back. The reader has no means to
	 * wake the collector, since a malicious one could use that to keep the collector busy.
	 */
	LOOK_NS = 5000000,
	/* spare memory that stays for a second without use is given back in parts, down to this */
	SPARE_MIN = 1 << 20,
	SPARE_NS = 1000000000,
	PUNCHED_AT_ONCE = 64, /* chunks */
};

struct stream {
	struct mp_queue_stream is;     /* first member: what users of the queue see of it */
	unsigned chunks;	       /* number of chunks in use */
	struct mp_chunk *first, *last; /* pushed and not given back yet, in order */
	uint64_t pushed, handled;      /* number of chunks since the reader was attached */
};

/* Chunks of a size. They have a range of the memfd for themselves, so that it does not fragment. */
struct class
{
	uint64_t at; /* offset of the range */
	uint32_t slots, used;
	struct mp_chunk *spare; /* with memory */
	struct mp_chunk *bare;	/* whose memory was given back */
	size_t n_spare;
	size_t idle;	/* the least number of spare chunks in the current period */
	size_t surplus; /* how many of them to give back, since the last period did not need them */
};

struct mp_queue {
	pthread_mutex_t lock;
	struct mp_queue_fds fds;
	int fd; /* of the same memory as fds.data, writable */
	size_t size;
	struct mp_queue_head *head;
	struct mp_queue_entry *entries;
	struct mp_queue_shared_stream *shared_streams;
	struct mp_queue_returns *returns; /* not trusted */
	uint64_t pushed, taken;
	uint64_t order;		   /* number of chunks that were ever pushed */
	struct mp_queue_mark mark; /* the last one */
	bool ends_in_mark;	   /* nothing follows it */
	struct class classes[CLASSES];
	size_t n_classes;
	size_t bytes[MP_QUEUE_TYPES]; /* bytes of the chunks in use */
	size_t limits[MP_QUEUE_TYPES];
	size_t spare_bytes;
	uint64_t period_ns; /* when the current period began */
	struct stream **streams;
	size_t n_streams, cap_streams;
	uint64_t lies, dropped;
	bool abandoned;
};

/* --- memory ----------------------------------------------------------------------------------- */

static void *map(int fd, size_t size, int protection)
{
	void *p = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		mp_die("cannot map a queue of %zu MiB: %m (raise ulimit -v, or use smaller ring "
		       "buffers: -m)",
		       size >> 20);
	return p;
}

static int reopen_readable(int fd)
{
	char path[64];
	int readable;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	readable = open(path, O_RDONLY | O_CLOEXEC);
	if (readable < 0)
		mp_die("cannot open '%s': %m", path);
	return readable;
}

static void make_returns(struct mp_queue *q)
{
	/* the reader can write to this memfd, but must not seal it against the next reader */
	q->fds.returns = mp_memfd_new("mp-record-returns", sizeof(*q->returns), F_SEAL_SEAL);
	q->returns = map(q->fds.returns, sizeof(*q->returns), PROT_READ);
}

static void free_returns(struct mp_queue *q)
{
	munmap(q->returns, sizeof(*q->returns));
	close(q->fds.returns);
}

static size_t round_to_page(size_t size)
{
	size_t page = (size_t)getpagesize();

	return (size + page - 1) & ~(page - 1);
}

static size_t class_bytes(size_t class)
{
	return (size_t)1 << (CLASS_MIN_SHIFT + class);
}

static size_t class_of(size_t size)
{
	size_t class = 0;

	while (class < CLASSES && class_bytes(class) < size)
		class ++;
	return class;
}

/*
 * Divides the memfd: each class has room for all chunks, which may take twice the limits. Only what
 * is used takes memory.
 */
static void lay_out(struct mp_queue *q, size_t chunk_max, struct mp_queue_head *head)
{
	size_t room = 0, at, class, i;

	for (i = 0; i < MP_QUEUE_TYPES; i++)
		room += 2 * q->limits[i];
	/* each chunk may have a mark before it */
	for (head->capacity = 1; head->capacity < 2 * (room >> CLASS_MIN_SHIFT) + 2;)
		head->capacity *= 2;
	head->streams_at = MP_QUEUE_HEAD_BYTES;
	head->entries_at = head->streams_at + sizeof(*q->shared_streams) * MP_QUEUE_STREAMS_MAX;
	at = round_to_page(head->entries_at + head->capacity * sizeof(*q->entries));
	q->n_classes = MP_MIN(class_of(MP_MAX(chunk_max, (size_t)CHUNK_MAX)) + 1, (size_t)CLASSES);
	for (class = 0; class < q->n_classes; class ++) {
		size_t slots = MP_MAX(room / class_bytes(class), (size_t)1);

		q->classes[class] = (struct class){ .at = at, .slots = (uint32_t)slots };
		at += slots * class_bytes(class);
	}
	head->size = q->size = round_to_page(at);
}

struct mp_queue *mp_queue_new(size_t limit, size_t chunk_max)
{
	struct mp_queue *q = mp_zalloc(sizeof(*q));
	struct mp_queue_head head = { .size = 0 };

	mp_thread_mutex(&q->lock);
	q->limits[MP_QUEUE_EVENTS] = limit;
	q->limits[MP_QUEUE_READINGS] = limit;
	q->limits[MP_QUEUE_TASKS] = LIMIT_TASKS;
	q->limits[MP_QUEUE_STACKS] = LIMIT_STACKS;
	lay_out(q, chunk_max, &head);
	q->fd = mp_memfd_new("mp-record-queue", q->size, 0);
	q->fds.data = reopen_readable(q->fd);
	q->head = map(q->fd, q->size, PROT_READ | PROT_WRITE);
	*q->head = head;
	q->shared_streams = (void *)((char *)q->head + head.streams_at);
	q->entries = (void *)((char *)q->head + head.entries_at);
	make_returns(q);
	return q;
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
	for (i = 0; i < q->n_streams; i++) {
		free_list(q->streams[i]->first);
		free(q->streams[i]);
	}
	for (i = 0; i < q->n_classes; i++) {
		free_list(q->classes[i].spare);
		free_list(q->classes[i].bare);
	}
	munmap(q->head, q->size);
	free_returns(q);
	close(q->fds.data);
	close(q->fd);
	pthread_mutex_destroy(&q->lock);
	free(q->streams);
	free(q);
}

struct mp_queue_fds mp_queue_fds(const struct mp_queue *q)
{
	return q->fds;
}

const struct mp_queue_stream *mp_queue_add(struct mp_queue *q, enum mp_queue_type type,
					   const char *owner, uint32_t index)
{
	struct mp_queue_shared_stream shared = { .type = type, .index = index };
	struct stream *s = mp_zalloc(sizeof(*s));

	snprintf(shared.owner, sizeof(shared.owner), "%s", owner);
	s->is.type = type;
	s->is.index = index;
	memcpy(s->is.owner, shared.owner, sizeof(s->is.owner));
	pthread_mutex_lock(&q->lock);
	if (q->n_streams == MP_QUEUE_STREAMS_MAX)
		mp_die("more than %d streams of records", MP_QUEUE_STREAMS_MAX);
	s->is.number = (uint32_t)q->n_streams;
	q->shared_streams[q->n_streams] = shared;
	q->streams = mp_grow(q->streams, &q->cap_streams, q->n_streams + 1, sizeof(*q->streams));
	q->streams[q->n_streams++] = s;
	__atomic_store_n(&q->head->n_streams, (uint32_t)q->n_streams, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&q->lock);
	return &s->is;
}

size_t mp_queue_added(const struct mp_queue *q)
{
	return q->n_streams;
}

/* --- what the reader gives back --------------------------------------------------------------- */

static struct stream *stream_of(const struct mp_queue *q, const struct mp_queue_stream *stream)
{
	return q->streams[stream->number];
}

static void free_chunk(struct mp_queue *q, struct mp_chunk *c)
{
	struct class *class = &q->classes[c->class];

	q->bytes[c->stream->type] -= c->cap;
	stream_of(q, c->stream)->chunks--;
	q->spare_bytes += c->cap;
	class->n_spare++;
	c->next = class->spare;
	class->spare = c;
}

static void free_first(struct mp_queue *q, struct stream *s)
{
	struct mp_chunk *c = s->first;

	s->first = c->next;
	s->handled++;
	free_chunk(q, c);
}

/*
 * Frees the chunks of a stream that the reader has given back. A number greater than the chunks
 * that it has is ignored.
 */
static void collect_from(struct mp_queue *q, struct stream *s)
{
	uint64_t n =
		__atomic_load_n(&q->returns->handled[s->is.number], __ATOMIC_ACQUIRE) - s->handled;

	if (n > s->pushed - s->handled) {
		q->lies += !q->abandoned;
		return;
	}
	while (n--)
		free_first(q, s);
}

static void collect(struct mp_queue *q)
{
	uint64_t n = __atomic_load_n(&q->returns->taken, __ATOMIC_ACQUIRE) - q->taken;
	size_t i;

	if (n > q->pushed - q->taken)
		q->lies += !q->abandoned;
	else
		q->taken += n;
	for (i = 0; i < q->n_streams; i++)
		collect_from(q, q->streams[i]);
}

uint64_t mp_queue_lies(struct mp_queue *q)
{
	uint64_t lies;

	pthread_mutex_lock(&q->lock);
	collect(q);
	lies = q->lies;
	pthread_mutex_unlock(&q->lock);
	return lies;
}

/* --- chunks ----------------------------------------------------------------------------------- */

static bool is_within_limit(const struct mp_queue *q, const struct stream *s, size_t cap)
{
	if (q->bytes[s->is.type] + cap <= q->limits[s->is.type])
		return true;
	return s->is.type != MP_QUEUE_READINGS && s->chunks < CHUNKS_EACH;
}

static bool may_have(struct mp_queue *q, struct stream *s, size_t cap, bool always)
{
	collect_from(q, s);
	if (is_within_limit(q, s, cap))
		return true;
	collect(q);
	return is_within_limit(q, s, cap) ||
	       (always && q->bytes[s->is.type] + cap <= 2 * q->limits[s->is.type]);
}

/* A chunk that nobody uses; NULL: there is none left. */
static struct mp_chunk *take_chunk(struct mp_queue *q, unsigned class_number)
{
	struct class *class = &q->classes[class_number];
	struct mp_chunk *c = class->spare;

	if (c) {
		class->spare = c->next;
		class->n_spare--;
		class->idle = MP_MIN(class->idle, class->n_spare);
		q->spare_bytes -= c->cap;
		return c;
	}
	c = class->bare;
	if (c) {
		class->bare = c->next;
		return c;
	}
	if (class->used == class->slots)
		return NULL;
	c = mp_alloc(sizeof(*c));
	c->class = class_number;
	c->cap = class_bytes(class_number);
	c->at = class->at + class->used++ * c->cap;
	c->data = (char *)q->head + c->at;
	return c;
}

static struct mp_chunk *get_chunk(struct mp_queue *q, const struct mp_queue_stream *stream,
				  size_t size, bool always)
{
	size_t class = class_of(size);
	struct mp_chunk *c = NULL;
	struct stream *s;

	if (class >= q->n_classes)
		return NULL;
	pthread_mutex_lock(&q->lock);
	s = stream_of(q, stream);
	if (may_have(q, s, class_bytes(class), always))
		c = take_chunk(q, (unsigned)class);
	if (c) {
		c->stream = stream;
		c->len = 0;
		q->bytes[stream->type] += c->cap;
		s->chunks++;
	}
	pthread_mutex_unlock(&q->lock);
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

/* False if there is no room, because the reader has not reported what it has taken. */
static bool put_entry(struct mp_queue *q, const struct mp_queue_entry *e)
{
	if (q->pushed - q->taken == q->head->capacity)
		collect(q);
	if (q->pushed - q->taken == q->head->capacity)
		return false;
	q->entries[q->pushed % q->head->capacity] = *e;
	__atomic_store_n(&q->head->pushed, ++q->pushed, __ATOMIC_RELEASE);
	return true;
}

/* Enters a mark into the list, since a chunk follows. */
static bool put_mark(struct mp_queue *q, const struct mp_queue_mark *mark)
{
	const struct mp_queue_entry e = { .from = mark->began_ns,
					  .to = mark->settled_ns,
					  .mark = mark->number,
					  .stream = MP_QUEUE_IS_MARK };

	return put_entry(q, &e);
}

static bool put_chunk(struct mp_queue *q, const struct mp_chunk *c)
{
	const struct mp_queue_entry e = { .from = c->at,
					  .to = c->len,
					  .stream = c->stream->number };

	return put_entry(q, &e);
}

void mp_queue_push(struct mp_queue *q, struct mp_chunk *chunk)
{
	struct stream *s;

	pthread_mutex_lock(&q->lock);
	if (chunk->len && !q->abandoned && q->ends_in_mark)
		q->ends_in_mark = !put_mark(q, &q->mark);
	if (chunk->len == 0 || q->abandoned || q->ends_in_mark || !put_chunk(q, chunk)) {
		free_chunk(q, chunk);
	} else {
		chunk->mark = q->mark;
		s = stream_of(q, chunk->stream);
		chunk->next = NULL;
		chunk->order = q->order++;
		if (s->first)
			s->last->next = chunk;
		else
			s->first = chunk;
		s->last = chunk;
		s->pushed++;
	}
	pthread_mutex_unlock(&q->lock);
}

/* --- marks ------------------------------------------------------------------------------------ */

/* Shows the reader the last mark, at the end of the list. */
static void show_mark(struct mp_queue *q)
{
	struct mp_queue_last_mark *last = &q->head->last;
	uint32_t version = last->version;

	__atomic_store_n(&last->version, version + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&last->position, q->pushed, __ATOMIC_RELAXED);
	__atomic_store_n(&last->mark, q->mark.number, __ATOMIC_RELAXED);
	__atomic_store_n(&last->began_ns, q->mark.began_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&last->settled_ns, q->mark.settled_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&last->version, version + 2, __ATOMIC_RELEASE);
	q->ends_in_mark = true;
	__atomic_fetch_add(&q->head->bell, 1, __ATOMIC_RELEASE);
}

/* Takes out of use a part of the spare memory that no chunk has needed for a while. */
static struct mp_chunk *take_idle(struct mp_queue *q)
{
	uint64_t now_ns = mp_monotonic_ns();
	bool over = now_ns - q->period_ns >= SPARE_NS;
	size_t left = PUNCHED_AT_ONCE, used = q->bytes[MP_QUEUE_EVENTS], i;
	struct mp_chunk *list = NULL;

	for (i = q->n_classes; i-- > 0;) {
		struct class *class = &q->classes[i];
		struct mp_chunk *c;

		if (over)
			class->surplus = (class->idle + 1) / 2;
		while ((c = class->spare) && left && q->spare_bytes > SPARE_MIN &&
		       (class->surplus || q->spare_bytes + used > q->limits[MP_QUEUE_EVENTS])) {
			class->spare = c->next;
			class->n_spare--;
			q->spare_bytes -= c->cap;
			c->next = list;
			list = c;
			class->surplus -= class->surplus > 0;
			left--;
		}
		class->idle = over ? class->n_spare : MP_MIN(class->idle, class->n_spare);
	}
	if (over)
		q->period_ns = now_ns;
	return list;
}

/* Gives the memory of unused chunks back to the system. */
static void give_memory_back(struct mp_queue *q, struct mp_chunk *list)
{
	struct mp_chunk *c, *next;

	for (c = list; c; c = c->next)
		fallocate(q->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)c->at,
			  (off_t)c->cap);
	pthread_mutex_lock(&q->lock);
	for (c = list; c; c = next) {
		next = c->next;
		c->next = q->classes[c->class].bare;
		q->classes[c->class].bare = c;
	}
	pthread_mutex_unlock(&q->lock);
}

static void wake_reader(struct mp_queue *q)
{
	syscall(SYS_futex, &q->head->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void mp_queue_mark(struct mp_queue *q, uint64_t began_ns, uint64_t settled_ns)
{
	struct mp_chunk *idle;

	pthread_mutex_lock(&q->lock);
	q->mark.number++;
	q->mark.began_ns = began_ns;
	q->mark.settled_ns = MP_MAX(settled_ns, q->mark.settled_ns);
	show_mark(q);
	collect(q);
	idle = take_idle(q);
	pthread_mutex_unlock(&q->lock);
	wake_reader(q);
	if (idle)
		give_memory_back(q, idle);
}

/* --- filler ----------------------------------------------------------------------------------- */

void mp_queue_flush(struct mp_queue_filler *f)
{
	if (f->chunk)
		mp_queue_push(f->queue, f->chunk);
	f->chunk = NULL;
}

bool mp_queue_reserve(struct mp_queue_filler *f, size_t size)
{
	if (f->chunk && f->chunk->cap - f->chunk->len < size)
		mp_queue_flush(f);
	if (!f->chunk)
		f->chunk = mp_queue_chunk(f->queue, f->stream, MP_MAX(f->bytes, size));
	return f->chunk;
}

void mp_queue_put(struct mp_queue_filler *f, const struct perf_event_header *record)
{
	if (!mp_queue_reserve(f, record->size))
		f->chunk = mp_queue_chunk_always(f->queue, f->stream,
						 MP_MAX(f->bytes, (size_t)record->size));
	if (!f->chunk) {
		__atomic_fetch_add(&f->queue->dropped, 1, __ATOMIC_RELAXED);
		return;
	}
	memcpy(f->chunk->data + f->chunk->len, record, record->size);
	f->chunk->len += record->size;
}

uint64_t mp_queue_dropped(const struct mp_queue *q)
{
	return __atomic_load_n(&q->dropped, __ATOMIC_RELAXED);
}

/* --- room ------------------------------------------------------------------------------------- */

size_t mp_queue_bytes(struct mp_queue *q, enum mp_queue_type type)
{
	size_t bytes;

	pthread_mutex_lock(&q->lock);
	collect(q);
	bytes = q->bytes[type];
	pthread_mutex_unlock(&q->lock);
	return bytes;
}

bool mp_queue_is_full(struct mp_queue *q, enum mp_queue_type type)
{
	return mp_queue_bytes(q, type) >= q->limits[type];
}

static bool has_little_room(struct mp_queue *q)
{
	bool little = false;
	size_t i;

	pthread_mutex_lock(&q->lock);
	collect(q);
	for (i = 0; i < MP_QUEUE_TYPES; i++)
		little |= q->bytes[i] > q->limits[i] / 2;
	pthread_mutex_unlock(&q->lock);
	return little;
}

void mp_queue_wait_room(struct mp_queue *q, int timeout_ms)
{
	const struct timespec look = { 0, LOOK_NS };
	uint64_t until_ns = mp_monotonic_ns() + (uint64_t)timeout_ms * 1000000;

	while (has_little_room(q) && mp_monotonic_ns() < until_ns)
		nanosleep(&look, NULL);
}

/* --- another reader, or none ------------------------------------------------------------------ */

static int by_order(const void *a, const void *b)
{
	uint64_t x = (*(const struct mp_chunk *const *)a)->order;
	uint64_t y = (*(const struct mp_chunk *const *)b)->order;

	return (x > y) - (x < y);
}

/* Lists all chunks that were pushed and not given back, in order; the caller frees the list. */
static struct mp_chunk **list_chunks(struct mp_queue *q, size_t *n)
{
	struct mp_chunk **all = NULL, *c;
	size_t cap = 0, i;

	*n = 0;
	for (i = 0; i < q->n_streams; i++) {
		for (c = q->streams[i]->first; c; c = c->next) {
			all = mp_grow(all, &cap, *n + 1, sizeof(*all));
			all[(*n)++] = c;
		}
	}
	if (*n)
		qsort(all, *n, sizeof(*all), by_order);
	return all;
}

void mp_queue_restart(struct mp_queue *q)
{
	uint64_t mark = 0;
	struct mp_chunk **all;
	size_t n, i;

	pthread_mutex_lock(&q->lock);
	collect(q);
	free_returns(q);
	make_returns(q);
	for (i = 0; i < q->n_streams; i++) {
		q->shared_streams[i].first += q->streams[i]->handled;
		q->streams[i]->pushed -= q->streams[i]->handled;
		q->streams[i]->handled = 0;
	}
	all = list_chunks(q, &n);
	q->pushed = q->taken = 0;
	q->head->pushed = 0;
	for (i = 0; i < n; i++) {
		if (all[i]->mark.number > mark)
			put_mark(q, &all[i]->mark);
		mark = all[i]->mark.number;
		put_chunk(q, all[i]);
	}
	free(all);
	/* a reader that has just got it, before the last chunk, ignores it */
	if (q->mark.number)
		show_mark(q);
	pthread_mutex_unlock(&q->lock);
}

void mp_queue_abandon(struct mp_queue *q)
{
	size_t i;

	pthread_mutex_lock(&q->lock);
	q->abandoned = true;
	for (i = 0; i < q->n_streams; i++)
		while (q->streams[i]->first)
			free_first(q, q->streams[i]);
	pthread_mutex_unlock(&q->lock);
}
