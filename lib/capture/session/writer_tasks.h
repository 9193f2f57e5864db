/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps what events need of other records: tasks, their mappings, and stacks that BPF programs
 * sent. Includes aggregate, format, queue_reader, writer_counts.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_TASKS_H
#define MP_CAPTURE_SESSION_WRITER_TASKS_H

#include "lib/capture/aggregate/aggregate.h"
#include "lib/capture/format/format.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/session/writer_counts.h"

struct mp_writer_tasks {
	/* set by the caller; borrowed */
	struct mp_tasks *tasks;
	struct mp_walk_tables *tables;	  /* NULL: stacks are not walked by BPF */
	struct mp_pending_stacks *stacks; /* stacks of events */
	struct mp_aggregator *aggregator; /* gets those of aggregates; NULL: none are aggregated */
	struct mp_agg_symbols symbols;	  /* for these */
	struct mp_writer_counts *counts;
	bool everyone; /* every process is recorded */
};

/*
 * Handles a record of a task. `repeats`: another writer has handled, and counted, it before.
 */
void mp_writer_task(struct mp_writer_tasks *w, const struct mp_queue_record *x, bool repeats);

/* Handles a stack. False: the record is damaged. */
bool mp_writer_stack(struct mp_writer_tasks *w, const struct mp_queue_record *x);

/* Notes a record of a task before its turn in time. */
void mp_writer_note_task(struct mp_writer_tasks *w, const struct mp_queue_record *x);

#endif
