// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/queue_reader.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/ring/queue_shared.h"
#include "lib/core/clock.h"

struct stream {
	struct mp_queue_stream is;	    /* first member: what users of the reader see of it */
	struct mp_queue_item *first, *last; /* taken and not handled yet, in order */
	uint64_t before;		    /* chunks that earlier readers have given back */
	uint64_t taken, handled, given;	    /* chunks of this reader */
	uint64_t records;		    /* of the handled chunks */
};

struct mp_queue_reader {
	const struct mp_queue_head *head;
	struct mp_queue_returns *returns;
	size_t size;
	uint64_t taken;
	uint64_t mark; /* number of the last mark that was taken */
	struct stream **streams;
	size_t n_streams, cap_streams;
	struct mp_queue_item *idle;
	struct {
		mp_queue_handler *call;
		void *arg;
	} handlers[MP_QUEUE_TYPES];
};

struct mp_queue_reader *mp_queue_attach(const struct mp_queue_fds *fds)
{
	struct mp_queue_reader *r = mp_zalloc(sizeof(*r));
	const struct mp_queue_head *head;
	void *returns;

	head = mmap(NULL, MP_QUEUE_HEAD_BYTES, PROT_READ, MAP_SHARED, fds->data, 0);
	if (head == MAP_FAILED)
		goto failed;
	r->size = head->size;
	munmap((void *)head, MP_QUEUE_HEAD_BYTES);
	head = mmap(NULL, r->size, PROT_READ, MAP_SHARED, fds->data, 0);
	if (head == MAP_FAILED)
		goto failed;
	returns = mmap(NULL, sizeof(*r->returns), PROT_READ | PROT_WRITE, MAP_SHARED, fds->returns,
		       0);
	if (returns == MAP_FAILED) {
		munmap((void *)head, r->size);
		goto failed;
	}
	r->head = head;
	r->returns = returns;
	return r;
failed:
	free(r);
	return NULL;
}

static void free_list(struct mp_queue_item *item)
{
	struct mp_queue_item *next;

	for (; item; item = next) {
		next = item->next;
		free(item);
	}
}

void mp_queue_detach(struct mp_queue_reader *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->n_streams; i++) {
		free_list(r->streams[i]->first);
		free(r->streams[i]);
	}
	free(r->streams);
	free_list(r->idle);
	munmap((void *)r->head, r->size);
	munmap(r->returns, sizeof(*r->returns));
	free(r);
}

size_t mp_queue_streams(struct mp_queue_reader *r)
{
	const struct mp_queue_shared_stream *all =
		(const void *)((const char *)r->head + r->head->streams_at);
	size_t n = __atomic_load_n(&r->head->n_streams, __ATOMIC_ACQUIRE);

	r->streams = mp_grow(r->streams, &r->cap_streams, n, sizeof(*r->streams));
	while (r->n_streams < n) {
		const struct mp_queue_shared_stream *x = &all[r->n_streams];
		struct stream *s = mp_zalloc(sizeof(*s));

		s->is.type = (enum mp_queue_type)x->type;
		s->is.index = x->index;
		s->is.number = (uint32_t)r->n_streams;
		s->before = x->first;
		memcpy(s->is.owner, x->owner, sizeof(s->is.owner));
		r->streams[r->n_streams++] = s;
	}
	return n;
}

const struct mp_queue_stream *mp_queue_numbered(const struct mp_queue_reader *r, uint32_t number)
{
	return &r->streams[number]->is;
}

void mp_queue_set_handler(struct mp_queue_reader *r, enum mp_queue_type type,
			  mp_queue_handler *handler, void *arg)
{
	r->handlers[type].call = handler;
	r->handlers[type].arg = arg;
}

void mp_queue_handle(struct mp_queue_reader *r, const struct mp_queue_stream *stream,
		     const struct mp_queue_record *records, size_t n)
{
	if (r->handlers[stream->type].call)
		r->handlers[stream->type].call(r->handlers[stream->type].arg, stream, records, n);
}

static struct mp_queue_item *new_item(struct mp_queue_reader *r)
{
	struct mp_queue_item *item = r->idle;

	if (item)
		r->idle = item->next;
	else
		item = mp_alloc(sizeof(*item));
	*item = (struct mp_queue_item){ .stream = NULL };
	return item;
}

static struct mp_queue_item *new_mark(struct mp_queue_reader *r, uint64_t mark, uint64_t began_ns,
				      uint64_t settled_ns)
{
	struct mp_queue_item *item = new_item(r);

	item->began_ns = began_ns;
	item->settled_ns = settled_ns;
	r->mark = mark;
	return item;
}

/* The mark at the end of the queue, if it follows what was taken, and was not taken itself. */
static struct mp_queue_item *take_last_mark(struct mp_queue_reader *r)
{
	const struct mp_queue_last_mark *last = &r->head->last;
	uint32_t version = __atomic_load_n(&last->version, __ATOMIC_ACQUIRE);
	uint64_t position = __atomic_load_n(&last->position, __ATOMIC_RELAXED);
	uint64_t mark = __atomic_load_n(&last->mark, __ATOMIC_RELAXED);
	uint64_t began_ns = __atomic_load_n(&last->began_ns, __ATOMIC_RELAXED);
	uint64_t settled_ns = __atomic_load_n(&last->settled_ns, __ATOMIC_RELAXED);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* a mark that the collector is writing: the bell follows */
	if (version % 2 || __atomic_load_n(&last->version, __ATOMIC_RELAXED) != version)
		return NULL;
	if (position != r->taken || mark <= r->mark)
		return NULL;
	return new_mark(r, mark, began_ns, settled_ns);
}

static struct mp_queue_item *new_chunk(struct mp_queue_reader *r, const struct mp_queue_entry *e)
{
	struct mp_queue_item *item = new_item(r);
	struct stream *s;

	if (e->stream >= r->n_streams)
		mp_queue_streams(r);
	s = r->streams[e->stream];
	item->stream = &s->is;
	item->data = (const char *)r->head + e->from;
	item->len = e->to;
	item->number = s->before + s->taken++;
	if (s->first)
		s->last->next = item;
	else
		s->first = item;
	s->last = item;
	return item;
}

static struct mp_queue_item *take(struct mp_queue_reader *r)
{
	const struct mp_queue_entry *entries =
		(const void *)((const char *)r->head + r->head->entries_at);

	for (;;) {
		struct mp_queue_entry e;

		if (r->taken == __atomic_load_n(&r->head->pushed, __ATOMIC_ACQUIRE))
			return take_last_mark(r);
		e = entries[r->taken % r->head->capacity];
		__atomic_store_n(&r->returns->taken, ++r->taken, __ATOMIC_RELEASE);
		if (e.stream != MP_QUEUE_IS_MARK)
			return new_chunk(r, &e);
		if (e.mark > r->mark)
			return new_mark(r, e.mark, e.from, e.to);
	}
}

/* A bell may ring for a mark that the collector is replacing: then the next one follows. */
struct mp_queue_item *mp_queue_pop(struct mp_queue_reader *r, int timeout_ms)
{
	uint64_t until_ns = 0;

	for (;;) {
		uint32_t bell = __atomic_load_n(&r->head->bell, __ATOMIC_ACQUIRE);
		struct mp_queue_item *item = take(r);
		struct timespec left;
		uint64_t now;

		if (item)
			return item;
		now = mp_monotonic_ns();
		if (!until_ns)
			until_ns = now + (uint64_t)timeout_ms * 1000000;
		if (now >= until_ns)
			return NULL;
		left.tv_sec = (time_t)((until_ns - now) / 1000000000);
		left.tv_nsec = (long)((until_ns - now) % 1000000000);
		syscall(SYS_futex, &r->head->bell, FUTEX_WAIT, bell, &left, NULL, 0);
	}
}

/* Counts the chunks that were handled in the order of their stream. */
static void count_handled(struct mp_queue_reader *r, struct stream *s)
{
	struct mp_queue_item *item;

	while ((item = s->first) && item->done) {
		s->first = item->next;
		s->handled++;
		s->records += item->records;
		item->next = r->idle;
		r->idle = item;
	}
}

void mp_queue_done(struct mp_queue_reader *r, struct mp_queue_item *item)
{
	if (item->stream) {
		item->done = true;
		count_handled(r, r->streams[item->stream->number]);
	} else {
		item->next = r->idle;
		r->idle = item;
	}
}

void mp_queue_give_back(struct mp_queue_reader *r)
{
	size_t i;

	for (i = 0; i < r->n_streams; i++) {
		struct stream *s = r->streams[i];

		if (s->given == s->handled)
			continue;
		s->given = s->handled;
		__atomic_store_n(&r->returns->handled[i], s->given, __ATOMIC_RELEASE);
	}
}

struct mp_queue_place mp_queue_place(const struct mp_queue_reader *r, uint32_t stream)
{
	const struct stream *s = r->streams[stream];

	return (struct mp_queue_place){ s->before + s->handled, s->records, s->before + s->taken };
}
