/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path from the queue to the output: merges the records of all rings in order of time, and hands
 * each to the module that handles it. Runs in the main thread of the writer's process. Only this
 * module and the end of the stream (writer_end.h) know all parts; each part knows those that it
 * uses. Includes merge, writer_events, writer_files, writer_sections, writer_state, writer_tasks.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_H
#define MP_CAPTURE_SESSION_WRITER_H

#include "lib/capture/session/merge.h"
#include "lib/capture/session/writer_events.h"
#include "lib/capture/session/writer_files.h"
#include "lib/capture/session/writer_sections.h"
#include "lib/capture/session/writer_state.h"
#include "lib/capture/session/writer_tasks.h"

/* What the caller sets before mp_writer_init(); borrowed. */
struct mp_writer_setup {
	const struct mp_cut_plan *plan;
	struct mp_queue_reader *queue;
	struct mp_journal *journal;
	struct mp_formatter *formatter;
	struct mp_out *out;
	bool readable;		 /* for a terminal: readable lines, no control lines */
	void (*stop)(void *arg); /* called when the limit is reached, or the output has failed */
	void (*tick)(void *arg); /* called between rounds, for the status line */
	void *arg;
};

/* Must not be moved, since its members point to each other. */
struct mp_writer {
	struct mp_writer_setup setup;
	struct mp_writer_window window;
	struct mp_writer_counts counts;
	struct mp_writer_output output;
	struct mp_writer_files files; /* its `header` is set before the first record */
	struct mp_writer_events events;
	struct mp_writer_tasks tasks;
	struct mp_writer_sections sections;
	struct mp_writer_state state;
	struct mp_merge merge;		  /* has the number of broken records */
	struct mp_losses *losses;	  /* NULL: the kernel does not count losses by event */
	struct mp_aggregator *aggregator; /* NULL: no event is aggregated */
	struct mp_task_log *task_log;
};

/* To be called after the last stream was added to the queue; sets the handlers of streams. */
void mp_writer_init(struct mp_writer *w, const struct mp_writer_setup *setup);
void mp_writer_release(struct mp_writer *w);

/* Sets the names of tasks from the user's table. */
void mp_writer_use_names(struct mp_writer *w, struct mp_tasknames *names);

/* The size of the writer's state, for mp_journal_new(). */
size_t mp_writer_state_bytes(const struct mp_cut_plan *plan, size_t n_streams);

/* The size of what else it keeps there, see mp_journal_more(). */
size_t mp_writer_more_bytes(const struct mp_cut_plan *plan);

/*
 * Continues where another writer has died, of whose output `written` bytes were written: writes the
 * rest. To be called after mp_writer_init(), before the first record. False: that is impossible,
 * since more was written than the journal accounts for.
 */
bool mp_writer_resume(struct mp_writer *w, uint64_t written);

/* Handles the queue up to its last mark. */
void mp_writer_run(struct mp_writer *w);

/* To be called after mp_writer_run(): the queue may be detached. */
void mp_writer_end_queue(struct mp_writer *w);

#endif
