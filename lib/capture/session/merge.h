/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the streams of the queue in order of time, and hands their records to the handlers of the
 * queue's reader. Knows how far each stream was handled, so that another process can continue
 * there: it gets the records of a stream in the same order, since this depends on nothing but the
 * records and the marks among them. A record that comes after a mark that promised none of its time
 * follows those that came before the mark. A chunk of stacks stays in the queue until no sample can
 * need them any longer, so that the other process gets them as well. Includes queue_reader.
 */
#ifndef MP_CAPTURE_SESSION_MERGE_H
#define MP_CAPTURE_SESSION_MERGE_H

#include "lib/capture/ring/queue_reader.h"

struct mp_merge_stream;

struct mp_merge {
	/* set by the caller */
	struct mp_queue_reader *queue; /* borrowed */
	/* called for each record before its turn in time comes; for those of events on request */
	void (*note)(void *arg, enum mp_queue_type type, const struct mp_queue_record *x);
	bool notes_events;
	void *arg;

	/* for use by the caller */
	uint64_t broken; /* records that could not be parsed; handlers add to it */
	char broken_owner[MP_QUEUE_OWNER]; /* owner of the stream of the last broken record */
	bool repeats; /* another process has counted the records that are being handled */
	size_t held;  /* bytes of chunks that were handled since the caller last set this to 0 */

	/* private */
	uint32_t round;		     /* number of marks */
	uint64_t bound_ns;	     /* of the last mark */
	uint64_t now_ns;	     /* time of the latest record that was handled */
	struct mp_queue_item **kept; /* chunks of stacks that were handled, in their order */
	size_t n_kept, cap_kept;
	struct mp_merge_stream *streams;
	size_t n_streams;
};

/* To be called after the last stream was added to the queue. */
void mp_merge_init(struct mp_merge *m);
void mp_merge_release(struct mp_merge *m);

/* Adds the records of a chunk; gives it to mp_queue_done() once all of them were handled. */
void mp_merge_add(struct mp_merge *m, struct mp_queue_item *chunk);

/* Whether a record came after a mark that promised none of its time. */
bool mp_merge_is_late(const struct mp_queue_record *x);

/* At a mark: lets no record that comes later precede those that have come, and are before `bound_ns`. */
void mp_merge_close(struct mp_merge *m, uint64_t bound_ns);

/* As mp_merge_close(), and handles all records before `bound_ns`. */
void mp_merge_until(struct mp_merge *m, uint64_t bound_ns);

/* To be called by a handler for each record that it has handled. */
void mp_merge_handled(struct mp_merge *m, const struct mp_queue_stream *stream);

/* Sets how far each stream was handled. Returns a number that changes with any of the places. */
uint64_t mp_merge_places(const struct mp_merge *m, struct mp_queue_place *places);

/*
 * Lets the merge begin at places that another process has reached. Records of tasks and stacks that
 * it has handled are handled again, since what it knew of them is lost.
 */
void mp_merge_from(struct mp_merge *m, const struct mp_queue_place *places);

#endif
