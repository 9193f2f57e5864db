/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded queue from the collector, whose threads fill it, to the writer, which reads it in the
 * same process or in another one (queue_reader.h). It carries streams: each is registered once,
 * with its type and its owner. Each type has a limit. When the queue is full, the collector leaves
 * records in their ring, and the kernel counts what does not fit there, so that one account has all
 * losses.
 *
 * The collector writes into a memfd that the reader has mapped read-only. The reader gives chunks
 * back through a second memfd, with one index for each stream, and one for the order of all chunks.
 * The collector believes an index only up to the chunks that it has pushed, and uses neither lists
 * nor addresses that the reader could write: a reader that lies loses data and nothing else.
 * Includes base only.
 *
 * Threads of the collector: mp_queue_new(), mp_queue_add(), mp_queue_fds(), mp_queue_restart(),
 * mp_queue_abandon() and mp_queue_free() are for the one that opens the recording and watches the
 * reader; all others are for any thread.
 */
#ifndef MP_CAPTURE_RING_QUEUE_H
#define MP_CAPTURE_RING_QUEUE_H

#include "lib/core/base.h"

struct perf_event_header;

/* What the records of a stream are. */
enum mp_queue_type {
	MP_QUEUE_EVENTS,   /* records of a ring, as the kernel wrote them */
	MP_QUEUE_READINGS, /* polled values, struct mp_sampled */
	/* MMAP2, COMM, FORK and EXIT records of the tracking; events need them */
	MP_QUEUE_TASKS,
	MP_QUEUE_STACKS, /* stacks that BPF programs sent; events need them */
	MP_QUEUE_TYPES,
};

enum { MP_QUEUE_OWNER = 16 }; /* room for the name of an owner and its NUL */

/* Owned by the queue or by its reader; constant. */
struct mp_queue_stream {
	enum mp_queue_type type;
	char owner[MP_QUEUE_OWNER]; /* name of the user that fills it: "rings" */
	uint32_t index;	 /* number that the owner gives to it, such as that of the ring */
	uint32_t number; /* number in the order in which streams were added */
};

/*
 * The end of a round of the collector. Everything that was in the rings at `began_ns` was pushed,
 * or is later than `settled_ns`; UINT64_MAX: it is the last mark.
 */
struct mp_queue_mark {
	uint64_t number; /* among the marks; 0: there was none yet */
	uint64_t began_ns, settled_ns;
};

/* Room for complete records of one stream. The collector fills `data` up to `len`. */
struct mp_chunk {
	const struct mp_queue_stream *stream;
	char *data; /* aligned to a page */
	size_t len, cap;
	/* private */
	struct mp_chunk *next;
	uint64_t at;		   /* offset in the shared memory */
	uint64_t order;		   /* number among the chunks that were pushed */
	struct mp_queue_mark mark; /* the last one before it */
	unsigned class;
};

/* Descriptors by which a reader attaches to the queue; another process may get them. */
struct mp_queue_fds {
	int data;    /* read-only */
	int returns; /* what the reader writes */
};

struct mp_queue;

/*
 * Makes a queue. `limit`: bytes for chunks of events, and as many for chunks of readings. Tasks and
 * stacks have 16 MiB each. `chunk_max`: the largest chunk that will be requested. Ends the program
 * on failure.
 */
struct mp_queue *mp_queue_new(size_t limit, size_t chunk_max);
void mp_queue_free(struct mp_queue *q);

/* The descriptors for the reader, borrowed until mp_queue_restart() or mp_queue_free(). */
struct mp_queue_fds mp_queue_fds(const struct mp_queue *q);

/* Registers a stream. Where times are equal, earlier streams come first. */
const struct mp_queue_stream *mp_queue_add(struct mp_queue *q, enum mp_queue_type type,
					   const char *owner, uint32_t index);

/* The number of streams that were registered up to now. */
size_t mp_queue_added(const struct mp_queue *q);

/*
 * To be called after the reader has ended (if it is a process, after it was waited for). Everything
 * that it did not give back is queued again in the same order, for another reader that attaches to
 * the new mp_queue_fds(). Before each chunk comes the last mark that preceded it, so that marks
 * divide each stream as they did for the reader that has ended.
 */
void mp_queue_restart(struct mp_queue *q);

/*
 * To be called after the reader has ended, if there will be no other: everything in the queue, and
 * what is pushed from now on, is discarded, so that the queue is never full.
 */
void mp_queue_abandon(struct mp_queue *q);

/*
 * A chunk with room for `size` bytes. Returns NULL if the limit for the stream's type is reached. A
 * stream with hardly any chunks gets one even then, since the writer may be waiting for its
 * records; a stream of polled values does not, since the writer never waits for these.
 */
struct mp_chunk *mp_queue_chunk(struct mp_queue *q, const struct mp_queue_stream *stream,
				size_t size);

/*
 * As mp_queue_chunk(), but even if the queue is full: for the last records. NULL if the type would
 * exceed twice its limit, or `size` exceeds chunk_max.
 */
struct mp_chunk *mp_queue_chunk_always(struct mp_queue *q, const struct mp_queue_stream *stream,
				       size_t size);

/* Hands a chunk to the reader; the caller must not use it any longer. An empty one is discarded. */
void mp_queue_push(struct mp_queue *q, struct mp_chunk *chunk);

/* Fills chunks with consecutive records of a stream. */
struct mp_queue_filler {
	struct mp_queue *queue;
	const struct mp_queue_stream *stream;
	size_t bytes;		/* size of a chunk */
	struct mp_chunk *chunk; /* the chunk being filled; NULL: none yet */
};

/* Makes room for `size` bytes; false if the queue is full. */
bool mp_queue_reserve(struct mp_queue_filler *f, size_t size);

/*
 * Adds a record, even if there is no room for it. If mp_queue_chunk_always() refuses room as well,
 * the record is dropped and counted.
 */
void mp_queue_put(struct mp_queue_filler *f, const struct perf_event_header *record);
void mp_queue_flush(struct mp_queue_filler *f);

/* Bytes of the chunks in use of a type, and whether they have reached its limit. */
size_t mp_queue_bytes(struct mp_queue *q, enum mp_queue_type type);
bool mp_queue_is_full(struct mp_queue *q, enum mp_queue_type type);

/*
 * Pushes a mark, which replaces a mark at the end of the queue, and wakes the reader. The reader
 * gets at least the `settled_ns` of earlier marks.
 */
void mp_queue_mark(struct mp_queue *q, uint64_t began_ns, uint64_t settled_ns);

/* Waits until half of the room for each type is free, for at most `timeout_ms`. */
void mp_queue_wait_room(struct mp_queue *q, int timeout_ms);

/* The number of records that mp_queue_put() dropped. */
uint64_t mp_queue_dropped(const struct mp_queue *q);

/* How often the reader claimed to give back what it did not have, which was ignored. */
uint64_t mp_queue_lies(struct mp_queue *q);

#endif
