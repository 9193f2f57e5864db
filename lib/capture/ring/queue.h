/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded queue between the thread that drains the rings and the one that writes. It carries
 * streams: each is registered once, with its type and its owner, and the writer sets a handler for
 * each type. Each type has a limit. When the queue is full, the drainer leaves records in their ring,
 * and the kernel counts what does not fit there, so that one account has all losses. Includes base
 * only.
 */
#ifndef MP_CAPTURE_RING_QUEUE_H
#define MP_CAPTURE_RING_QUEUE_H

#include "lib/core/base.h"

struct perf_event_header;

/* What the records of a stream are. */
enum mp_queue_type {
	MP_QUEUE_EVENTS,   /* records of a ring, as the kernel wrote them */
	MP_QUEUE_READINGS, /* polled values, struct mp_sampled */
	/* MMAP2, COMM, FORK and EXIT records of the tracking, which events need */
	MP_QUEUE_TASKS,
	MP_QUEUE_STACKS, /* stacks that BPF programs sent, which events need */
	MP_QUEUE_TYPES,
};

/* Owned by the queue; constant from mp_queue_add() on. */
struct mp_queue_stream {
	enum mp_queue_type type;
	const char *owner; /* name of the user that fills it, static: "rings" */
	uint32_t index;	   /* number that the owner gives to it, such as that of the ring */
	uint32_t number;   /* number in the order in which streams were added */
};

/* A record that waits to be handled, in order of time over all streams. */
struct mp_queue_record {
	uint64_t time_ns;
	struct perf_event_header *record;
	struct mp_chunk *chunk;
};

/*
 * Complete records of one stream, in the order in which they were written; or a mark, which has no
 * data.
 */
struct mp_chunk {
	struct mp_chunk *next;
	const struct mp_queue_stream *stream; /* NULL: a mark */
	uint32_t refs;			      /* for use by the reader */
	uint64_t began_ns;		      /* for a mark: when the round began that it ends */
	/* for a mark: everything before this time was pushed; UINT64_MAX: it is the last one */
	uint64_t settled_ns;
	size_t len, cap;
	char data[] __attribute__((aligned(8)));
};

struct mp_queue;

/*
 * Makes a queue. `limit`: bytes for chunks of events, and as many for chunks of readings. Tasks and
 * stacks have 16 MiB each.
 */
struct mp_queue *mp_queue_new(size_t limit);
void mp_queue_free(struct mp_queue *q);

/* Registers a stream, before any thread uses the queue. Where times are equal, earlier streams come first. */
const struct mp_queue_stream *mp_queue_add(struct mp_queue *q, enum mp_queue_type type,
					   const char *owner, uint32_t index);

/* The number of streams. */
size_t mp_queue_streams(const struct mp_queue *q);

/*
 * Sets the function that handles the records of all streams of a type, and calls it: for a run of
 * records of one stream, in the thread of the reader. A type without a handler is ignored.
 */
typedef void mp_queue_handler(void *arg, const struct mp_queue_stream *stream,
			      const struct mp_queue_record *records, size_t n);

void mp_queue_set_handler(struct mp_queue *q, enum mp_queue_type type, mp_queue_handler *handler,
			  void *arg);
void mp_queue_handle(struct mp_queue *q, const struct mp_queue_stream *stream,
		     const struct mp_queue_record *records, size_t n);

/*
 * A chunk with room for `size` bytes. NULL if the limit for the stream's type is reached. A stream
 * with hardly any chunks gets one nevertheless, since the writer may wait for it; not so polled
 * values, for which it does not wait.
 */
struct mp_chunk *mp_queue_chunk(struct mp_queue *q, const struct mp_queue_stream *stream,
				size_t size);

/* As mp_queue_chunk(), but even if the queue is full: for the last records. */
struct mp_chunk *mp_queue_chunk_always(struct mp_queue *q, const struct mp_queue_stream *stream,
				       size_t size);
void mp_queue_push(struct mp_queue *q, struct mp_chunk *chunk);

/* Fills chunks of a stream with consecutive records. */
struct mp_queue_filler {
	struct mp_queue *queue;
	const struct mp_queue_stream *stream;
	size_t bytes;		/* size of a chunk */
	struct mp_chunk *chunk; /* NULL: none yet */
};

/* Whether there is room for `size` bytes: false if the queue is full. */
bool mp_queue_reserve(struct mp_queue_filler *f, size_t size);

/* Adds a record, even if there is no room for it. */
void mp_queue_put(struct mp_queue_filler *f, const struct perf_event_header *record);
void mp_queue_flush(struct mp_queue_filler *f);

/* Bytes of the chunks in use of a type, and whether they have reached its limit. */
size_t mp_queue_bytes(struct mp_queue *q, enum mp_queue_type type);
bool mp_queue_is_full(struct mp_queue *q, enum mp_queue_type type);

/*
 * Pushes a mark, which replaces a mark at the end of the queue, and wakes the reader. Everything
 * that was in the rings at `began_ns` was pushed, or is later than `settled_ns`.
 */
void mp_queue_mark(struct mp_queue *q, uint64_t began_ns, uint64_t settled_ns);

/* The oldest chunk, or NULL after `timeout_ms` without one. */
struct mp_chunk *mp_queue_pop(struct mp_queue *q, int timeout_ms);

/* Gives a chunk's memory back. */
void mp_queue_recycle(struct mp_queue *q, struct mp_chunk *chunk);

/* Waits until half of the room for each type is free, for at most `timeout_ms`. */
void mp_queue_wait_room(struct mp_queue *q, int timeout_ms);

#endif
