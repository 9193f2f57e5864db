/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reading end of the queue (queue.h), for one thread of the writer, in the collector's process
 * or in another one. It reads chunks in place, from memory that it cannot write, and gives them
 * back when their records are handled. It trusts the collector. A sandbox must permit futex(2), and
 * mmap(2) of the two descriptors. Includes queue.
 */
#ifndef MP_CAPTURE_RING_QUEUE_READER_H
#define MP_CAPTURE_RING_QUEUE_READER_H

#include "lib/capture/ring/queue.h"

struct mp_queue_reader;

/* A chunk with complete records of a stream, in the order in which they were written; or a mark. */
struct mp_queue_item {
	const struct mp_queue_stream *stream; /* NULL: a mark */
	const char *data; /* valid until mp_queue_give_back(), if mp_queue_done() was called */
	size_t len;
	uint64_t number;   /* of a chunk among those of its stream, also of earlier readers */
	uint32_t refs;	   /* for use by the caller, like the next three */
	uint32_t round;	   /* number of the round in which it came */
	uint64_t last_ns;  /* latest time of its records */
	uint64_t bound_ns; /* the mark before it promised that all earlier records had come */
	uint32_t records;  /* set by the caller: how many of them count for mp_queue_place() */
	uint64_t began_ns; /* for a mark: when the round that it ends began */
	uint64_t
		settled_ns; /* for a mark: everything before was pushed; UINT64_MAX: the last one */
	/* private */
	struct mp_queue_item *next;
	bool done;
};

/* A record that waits to be handled, in order of time over all streams. */
struct mp_queue_record {
	uint64_t time_ns;
	uint64_t preceding_ns; /* time of the preceding record of the stream; 0: there is none */
	const struct perf_event_header *record;
	struct mp_queue_item *item;
};

/*
 * Maps the queue of these descriptors, which may be closed afterwards. Only one reader may be
 * attached at a time, since mp_queue_new() or mp_queue_restart(). NULL with errno on failure.
 */
struct mp_queue_reader *mp_queue_attach(const struct mp_queue_fds *fds);
void mp_queue_detach(struct mp_queue_reader *r);

/* The number of streams that the collector has registered up to now. */
size_t mp_queue_streams(struct mp_queue_reader *r);

/* A stream by its number, less than mp_queue_streams(). */
const struct mp_queue_stream *mp_queue_numbered(const struct mp_queue_reader *r, uint32_t number);

/*
 * Set the function that handles the records of all streams of a type, and call it for a run of
 * records of one stream. A type without a handler is ignored.
 */
typedef void mp_queue_handler(void *arg, const struct mp_queue_stream *stream,
			      const struct mp_queue_record *records, size_t n);

void mp_queue_set_handler(struct mp_queue_reader *r, enum mp_queue_type type,
			  mp_queue_handler *handler, void *arg);
void mp_queue_handle(struct mp_queue_reader *r, const struct mp_queue_stream *stream,
		     const struct mp_queue_record *records, size_t n);

/*
 * The oldest chunk or mark, or NULL after `timeout_ms` without one. The call never waits for chunks
 * alone: only a mark wakes it.
 */
struct mp_queue_item *mp_queue_pop(struct mp_queue_reader *r, int timeout_ms);

/* The caller has handled a chunk or mark, and must not use it any longer. */
void mp_queue_done(struct mp_queue_reader *r, struct mp_queue_item *item);

/*
 * Gives back the chunks that were handled, in the order of their stream: the collector may now fill
 * their memory again, and another reader will not get them.
 */
void mp_queue_give_back(struct mp_queue_reader *r);

/* How far a stream was handled, in its order. */
struct mp_queue_place {
	uint64_t chunk; /* number of the first chunk that was not handled */
	uint64_t
		records; /* sum of `records` of the chunks that this reader has handled before it */
	uint64_t taken;	 /* number of the first chunk that the reader did not get */
};

struct mp_queue_place mp_queue_place(const struct mp_queue_reader *r, uint32_t stream);

#endif
