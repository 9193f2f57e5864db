/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the records of events, losses and polled values to their lines. Includes cut_plan, format,
 * intmap, queue_reader, taskrecord, writer_counts, writer_output, writer_window.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_EVENTS_H
#define MP_CAPTURE_SESSION_WRITER_EVENTS_H

#include "lib/capture/format/format.h"
#include "lib/capture/format/taskrecord.h"
#include "lib/capture/host/cut_plan.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/session/writer_counts.h"
#include "lib/capture/session/writer_output.h"
#include "lib/capture/session/writer_window.h"
#include "lib/core/intmap.h"

struct mp_writer_events {
	/* set by the caller; borrowed */
	const struct mp_cut_plan *plan;
	struct mp_formatter *formatter;
	struct mp_writer_window *window;
	struct mp_writer_counts *counts;
	struct mp_writer_output *output;

	/* private */
	struct mp_intmap by_id; /* id -> index of plan->counters + 1 */
	struct mp_record_parsed parsed;
	struct mp_buf text;
};

void mp_writer_events_init(struct mp_writer_events *w);
void mp_writer_events_release(struct mp_writer_events *w);

/* Handles a record of a ring. False: it could not be parsed. */
bool mp_writer_event(struct mp_writer_events *w, size_t ring, const struct mp_queue_record *x);

/* Notes the texts of a system call that came after its record, before the record's turn in time. */
void mp_writer_note_event(struct mp_writer_events *w, const struct perf_event_header *h);

/* Writes a polled value. False: the record is damaged. */
bool mp_writer_sampled(struct mp_writer_events *w, const struct mp_queue_record *x);

/* Writes the line for a loss of a ring, and counts the lost events. */
void mp_writer_put_loss(struct mp_writer_events *w, size_t ring, const struct mp_ctl *loss);

#endif
