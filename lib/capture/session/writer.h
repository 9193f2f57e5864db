/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path from the queue to the output: merges the records of all rings in order of time, keeps
 * the tables of tasks, writes events, losses and watermarks. Runs in the main thread of the
 * writer's process. Includes aggregate, cut_plan, format, intmap, io, journal, live, losses, merge,
 * queue_reader, taskname, taskrecord.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_H
#define MP_CAPTURE_SESSION_WRITER_H

#include "lib/capture/aggregate/aggregate.h"
#include "lib/capture/format/format.h"
#include "lib/capture/format/taskrecord.h"
#include "lib/capture/host/cut_plan.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/session/journal.h"
#include "lib/capture/session/live.h"
#include "lib/capture/session/losses.h"
#include "lib/capture/session/merge.h"
#include "lib/core/intmap.h"
#include "lib/core/io.h"
#include "lib/stream/taskname.h"

struct mp_writer {
	/* set by the caller; borrowed */
	const struct mp_cut_plan *plan;
	struct mp_queue_reader *queue;
	struct mp_out *out;
	struct mp_formatter *formatter;
	struct mp_tasks *tasks;
	const struct mp_budget *budget;
	struct mp_journal *journal;
	struct mp_tasknames *names; /* names from the user's table; NULL: tasks keep theirs */
	uint64_t from_ns;	    /* when all events were enabled */
	uint64_t scanned_ns;	    /* when /proc had been scanned for running tasks */
	bool readable;		    /* for a terminal: readable lines, no control lines */
	const json_t *header;	    /* header of the stream; set before the end */
	struct mp_live *live;	 /* for a terminal: a summary instead of lines; NULL: write lines */
	void (*stop)(void *arg); /* called when the limit is reached, or the output has failed */
	void (*tick)(void *arg); /* called between rounds, for the status line */
	void *arg;

	/* results */
	struct mp_tally *tally; /* indexed by ring and event: mp_writer_tally() */
	struct mp_ring_tally *ring_tally;
	uint64_t written, excluded, lost;
	uint64_t late;	     /* events that came after the watermark had passed their time */
	uint64_t track_lost; /* lost records of tasks, so that names may be wrong */
	uint64_t throttled;
	struct mp_merge merge; /* has the number of broken records */
	uint64_t watermark_ns;
	uint64_t handled_ns; /* the same for the budget; 0 after the stop */
	uint64_t until_ns;   /* all events were enabled until then; later ones are not written */
	uint64_t bytes;	     /* bytes written */

	struct mp_cut_aggregate_end aggregates; /* the losses of aggregates */

	/* private */
	struct mp_losses *losses;	  /* NULL: the kernel does not count losses by event */
	struct mp_aggregator *aggregator; /* NULL: no event is aggregated */
	struct mp_intmap by_id;		  /* id -> index of plan->counters + 1 */
	struct mp_buf text, renamed;
	struct mp_record_parsed parsed;
	uint64_t stop_ns; /* when the events were about to be disabled; UINT64_MAX: not yet */
	bool stopping;
	uint32_t ended;		/* the trailer was written */
	uint64_t section_lines; /* how many lines of the aggregates' sections were written */
	uint64_t sections_from; /* those before this number were written by another writer */
	uint64_t progress;
	size_t unwritten;	       /* bytes in the buffer of `out` when the state was saved */
	struct mp_queue_place *places; /* how far each stream was handled, when it was saved */
};

/* To be called after the last stream was added to the queue; sets the handlers of streams. */
void mp_writer_init(struct mp_writer *w);
void mp_writer_release(struct mp_writer *w);

static inline struct mp_tally *mp_writer_tally(const struct mp_writer *w, size_t ring, size_t event)
{
	return &w->tally[ring * w->plan->events.n + event];
}

/* The size of the writer's state, for mp_journal_new(). */
size_t mp_writer_state_bytes(const struct mp_cut_plan *plan, size_t n_streams);

/* The size of what else it keeps there, see mp_journal_more(). */
size_t mp_writer_more_bytes(const struct mp_cut_plan *plan);

/*
 * Saves the state in the journal, then writes what is in the output's buffer, and gives back what
 * was handled. To be called between two records.
 */
void mp_writer_flush(struct mp_writer *w);

/*
 * Continues where another writer has died, of whose output `written` bytes were written: writes the
 * rest. To be called after mp_writer_init(), before the first record. False: that is impossible,
 * since more was written than the journal accounts for.
 */
bool mp_writer_resume(struct mp_writer *w, uint64_t written);

/* Handles the queue up to its last mark. */
void mp_writer_run(struct mp_writer *w);

/* Writes the line for a loss of a ring, and counts the lost events. */
void mp_writer_put_loss(struct mp_writer *w, size_t ring, const struct mp_ctl *loss);

/* Writes a control line, except to a terminal, and flushes. Takes the reference. */
void mp_writer_put_json(struct mp_writer *w, json_t *object);

/* Writes bytes to the output, and counts them. The caller finds a failure in out->error. */
void mp_writer_put(struct mp_writer *w, struct mp_str text);

/* Writes the control lines of modules that frames name since the last call, except to a terminal. */
void mp_writer_put_modules(struct mp_writer *w);

#endif
