/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of the memory that the two ends of the queue share. It is private to queue.c, which
 * writes the first memfd and reads the second one, and to queue_reader.c, which reads the first one
 * and writes the second one. All members that change are atomic. Includes base only.
 */
#ifndef MP_CAPTURE_RING_QUEUE_SHARED_H
#define MP_CAPTURE_RING_QUEUE_SHARED_H

#include "lib/core/base.h"

enum {
	MP_QUEUE_STREAMS_MAX = 1 << 15, /* two for each of 8192 CPUs, and a few more */
	MP_QUEUE_HEAD_BYTES = 4096,
};

#define MP_QUEUE_IS_MARK UINT32_MAX

/* A chunk that was pushed, or a mark that another entry follows. */
struct mp_queue_entry {
	uint64_t from, to; /* offset and length of a chunk; began_ns and settled_ns of a mark */
	uint64_t mark;	   /* the number of a mark */
	uint32_t stream;   /* MP_QUEUE_IS_MARK: it is a mark */
	uint32_t unused;
};

/*
 * The last mark. The collector replaces it until it pushes a chunk; then it first enters the mark
 * into the list. `version` is odd while it writes.
 */
struct mp_queue_last_mark {
	uint64_t position; /* the number of entries that precede it */
	uint64_t mark, began_ns, settled_ns;
	uint32_t version;
};

struct mp_queue_shared_stream {
	uint32_t type, index;
	char owner[16];
	uint64_t first; /* the number of its chunks that earlier readers have given back */
};

/* The beginning of the first memfd; entries, streams and chunks follow. */
struct mp_queue_head {
	uint64_t size;	     /* of the memfd */
	uint64_t streams_at; /* offsets of the tables */
	uint64_t entries_at;
	uint64_t capacity; /* the number of entries after which the list wraps, a power of two */
	uint32_t n_streams;
	uint32_t bell;	 /* a futex: the number of marks */
	uint64_t pushed; /* the number of entries that were ever made */
	struct mp_queue_last_mark last;
};

_Static_assert(sizeof(struct mp_queue_head) <= MP_QUEUE_HEAD_BYTES, "its tables follow");

/* The second memfd: how much the reader has taken and given back since it was attached. */
struct mp_queue_returns {
	uint64_t taken;				/* entries that may be overwritten */
	uint64_t handled[MP_QUEUE_STREAMS_MAX]; /* chunks of a stream that may be filled again */
};

#endif
