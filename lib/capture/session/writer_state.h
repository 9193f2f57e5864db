/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What another writer needs to continue where this one dies, between two records: saves it in the
 * journal, then lets go of what it covers, the output's buffer and chunks of the queue. Includes
 * aggregate, io, journal, merge, task.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_STATE_H
#define MP_CAPTURE_SESSION_WRITER_STATE_H

#include "lib/capture/aggregate/aggregate.h"
#include "lib/capture/session/journal.h"
#include "lib/capture/session/merge.h"
#include "lib/capture/stack/task.h"
#include "lib/core/io.h"

enum { MP_WRITER_PARTS = 24 };

/* How far this writer is. Without pointers. */
struct mp_writer_progress {
	uint64_t number;	/* of the state, greater each time */
	uint64_t ended;		/* the trailer was written */
	uint64_t section_lines; /* how many lines of the aggregates' sections were written */
	uint64_t unwritten;	/* bytes in the output's buffer when the state was saved */
};

struct mp_writer_state {
	/* set by the caller; borrowed */
	struct mp_journal *journal;
	struct mp_merge *merge;		  /* NULL: the last record was handled */
	struct mp_aggregator *aggregator; /* NULL: no event is aggregated */
	struct mp_tasks *tasks;		  /* with a log */
	struct mp_out *out;

	struct mp_writer_progress progress;
	uint64_t sections_from; /* lines before this number were written by another writer */

	/* private */
	struct mp_journal_part parts[MP_WRITER_PARTS];
	size_t n_parts;
	uint64_t handled;	       /* a number that changes with `places` */
	struct mp_queue_place *places; /* how far each stream was handled, when it was saved */
};

/*
 * Adds memory without pointers that makes up the state; it must not move. The parts are the same,
 * in the same order, for each writer.
 */
void mp_writer_state_add(struct mp_writer_state *s, void *p, size_t size);

/* Adds the parts that this module has itself. */
void mp_writer_state_init(struct mp_writer_state *s, size_t n_streams);
void mp_writer_state_release(struct mp_writer_state *s);

/* The size of the parts that were added. */
size_t mp_writer_state_size(const struct mp_writer_state *s);

/*
 * Saves the state, then writes what is in the output's buffer, and gives back what was handled. To
 * be called between two records.
 */
void mp_writer_flush(struct mp_writer_state *s);

/*
 * Loads the state that another writer has saved. False: it has saved none. The merge begins where
 * it was, and the tasks that were known are restored. The aggregator appends control lines to
 * `modules`.
 */
bool mp_writer_state_load(struct mp_writer_state *s, struct mp_buf *modules);

/*
 * Writes the rest of the output of a writer that wrote `all` bytes according to its state, and
 * `written` of them in fact. False: that is impossible.
 */
bool mp_writer_state_write_rest(struct mp_writer_state *s, uint64_t all, uint64_t written);

#endif
