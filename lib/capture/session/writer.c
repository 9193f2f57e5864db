// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer.h"

#include <stdlib.h>

#include "lib/capture/host/sampled.h"

enum {
	POP_MS = 100,
	GIVE_BACK_BYTES = 1 << 20, /* so that the drainer soon gets its memory back */
	/* how long an ended task is kept: its last switch comes after its exit record */
	DEAD_NS = 1000000000,
};

/* --- handlers of streams ---------------------------------------------------------------------- */

/* Between two records, another writer could continue. */
static void end_record(struct mp_writer *w, const struct mp_queue_stream *stream)
{
	mp_merge_handled(&w->merge, stream);
	if (w->output.out->len < MP_READ_SIZE && w->merge.held < GIVE_BACK_BYTES)
		return;
	mp_writer_flush(&w->state);
	if (w->setup.tick)
		w->setup.tick(w->setup.arg);
}

static void handle_events(void *arg, const struct mp_queue_stream *stream,
			  const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	size_t i;

	for (i = 0; i < n; i++) {
		w->merge.broken += !mp_writer_event(&w->events, stream->index, &records[i]);
		end_record(w, stream);
	}
}

static bool handle_reading(struct mp_writer *w, const struct mp_queue_record *x)
{
	switch (x->record->type) {
	case MP_CUT_CHECK:
		return w->losses && mp_losses_checked(w->losses, x->record, x->time_ns);
	case MP_CUT_TOTALS:
	case MP_CUT_TOTALS_END:
		return mp_writer_add_totals(&w->sections, x->record);
	case MP_SAMPLED:
		return mp_writer_sampled(&w->events, x);
	}
	return true;
}

static void handle_readings(void *arg, const struct mp_queue_stream *stream,
			    const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	size_t i;

	for (i = 0; i < n; i++) {
		w->merge.broken += !handle_reading(w, &records[i]);
		end_record(w, stream);
	}
}

static void handle_stacks(void *arg, const struct mp_queue_stream *stream,
			  const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	size_t i;

	for (i = 0; i < n; i++) {
		bool valid = mp_writer_stack(&w->tasks, &records[i]);

		w->merge.broken += !valid && !w->merge.repeats;
		end_record(w, stream);
	}
}

static void handle_tasks(void *arg, const struct mp_queue_stream *stream,
			 const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	size_t i;

	for (i = 0; i < n; i++) {
		mp_writer_task(&w->tasks, &records[i], w->merge.repeats);
		end_record(w, stream);
	}
}

/* Handles what the writer must know from a record before the record's turn in time comes. */
static void note(void *arg, enum mp_queue_type type, const struct mp_queue_record *x)
{
	struct mp_writer *w = arg;

	if (type == MP_QUEUE_EVENTS)
		mp_writer_note_event(&w->events, x->record);
	if (type == MP_QUEUE_TASKS)
		mp_writer_note_task(&w->tasks, x);
	if (type == MP_QUEUE_READINGS && x->record->type == MP_CUT_STOP)
		w->window.stop_ns = x->time_ns;
	if (type == MP_QUEUE_STACKS && x->record->type == MP_BPF_COPY)
		mp_walk_tables_copied(w->tasks.tables,
				      (pid_t)((const struct mp_bpf_head *)x->record)->tid,
				      w->window.watermark_ns);
}

static void put_loss(void *arg, size_t ring, const struct mp_ctl *loss)
{
	mp_writer_put_loss(arg, ring, loss);
}

/* --- beginning and end ------------------------------------------------------------------------ */

/* Lists what makes up the state. Of an empty writer, only the sizes are meant. */
static void list_state(struct mp_writer *w, const struct mp_cut_plan *plan, size_t n_streams)
{
	struct mp_writer_state *s = &w->state;
	struct mp_formatter *f = w->setup.formatter;
	size_t size;
	void *aggregator = mp_aggregator_state(w->aggregator, &size);

	mp_writer_state_init(s, n_streams);
	mp_writer_state_add(s, &w->window, sizeof(w->window));
	mp_writer_state_add(s, &w->output.bytes, sizeof(w->output.bytes));
	mp_writer_state_add(s, &w->files.earlier, sizeof(w->files.earlier));
	mp_writer_state_add(s, w->files.earlier_cpus,
			    plan->n_rings * sizeof(*w->files.earlier_cpus));
	mp_writer_state_add(s, &w->merge.broken, sizeof(w->merge.broken));
	mp_writer_state_add(s, w->merge.broken_owner, sizeof(w->merge.broken_owner));
	mp_writer_state_add(s, &w->counts.all, sizeof(w->counts.all));
	mp_writer_state_add(s, w->counts.tally,
			    plan->n_rings * plan->events.n * sizeof(*w->counts.tally));
	mp_writer_state_add(s, w->counts.rings, plan->n_rings * sizeof(*w->counts.rings));
	mp_writer_state_add(s, mp_losses_state(w->losses), mp_losses_state_bytes(plan));
	mp_writer_state_add(s, f ? &f->unwound : NULL, sizeof(f->unwound));
	mp_writer_state_add(s, f ? &f->pointers : NULL, sizeof(f->pointers));
	if (!plan->events.n_aggs)
		return;
	mp_writer_state_add(s, aggregator, size);
	mp_writer_state_add(s, &w->sections.end, sizeof(w->sections.end));
}

size_t mp_writer_state_bytes(const struct mp_cut_plan *plan, size_t n_streams)
{
	struct mp_writer none = { .state = { .n_parts = 0 } };
	size_t bytes;

	list_state(&none, plan, n_streams);
	bytes = mp_writer_state_size(&none.state);
	mp_writer_state_release(&none.state);
	return bytes;
}

size_t mp_writer_more_bytes(const struct mp_cut_plan *plan)
{
	return MP_TASK_LOG_BYTES + (plan->events.n_aggs ? MP_AGG_LEDGER_BYTES : 0);
}

static void init_merge(struct mp_writer *w)
{
	static mp_queue_handler *const handlers[MP_QUEUE_TYPES] = {
		[MP_QUEUE_EVENTS] = handle_events,
		[MP_QUEUE_READINGS] = handle_readings,
		[MP_QUEUE_TASKS] = handle_tasks,
		[MP_QUEUE_STACKS] = handle_stacks,
	};
	const struct mp_cut_events *events = &w->setup.plan->events;
	size_t i;

	for (i = 0; i < MP_QUEUE_TYPES; i++)
		mp_queue_set_handler(w->setup.queue, (enum mp_queue_type)i, handlers[i], w);
	w->merge = (struct mp_merge){ .queue = w->setup.queue, .note = note, .arg = w };
	for (i = 0; i < events->n; i++)
		w->merge.notes_events |= events->v[i].texts;
	mp_merge_init(&w->merge);
}

static void init_counts(struct mp_writer *w)
{
	const struct mp_cut_plan *plan = w->setup.plan;
	struct mp_writer_counts *c = &w->counts;

	c->n_events = plan->events.n;
	c->tally = mp_zalloc(plan->n_rings * plan->events.n * sizeof(*c->tally));
	c->rings = mp_zalloc(plan->n_rings * sizeof(*c->rings));
	w->losses = mp_losses_new(&(struct mp_losses_setup){ .plan = plan,
							     .tally = c->tally,
							     .rings = c->rings,
							     .start_ns = &w->window.from_ns,
							     .put = put_loss,
							     .arg = &w->events });
}

/* Makes the parts that write lines, and lets them know each other. */
static void init_parts(struct mp_writer *w)
{
	const struct mp_writer_setup *s = &w->setup;

	w->output = (struct mp_writer_output){ .out = s->out,
					       .modules = &s->formatter->stacks->symbols->modules,
					       .readable = s->readable,
					       .silent = s->plan->events.silent,
					       .stop = s->stop,
					       .arg = s->arg };
	w->events = (struct mp_writer_events){ .plan = s->plan,
					       .formatter = s->formatter,
					       .window = &w->window,
					       .counts = &w->counts,
					       .output = &w->output };
	mp_writer_events_init(&w->events);
	w->files = (struct mp_writer_files){ .plan = s->plan,
					     .formatter = s->formatter,
					     .window = &w->window,
					     .counts = &w->counts,
					     .output = &w->output };
	mp_writer_files_init(&w->files);
	w->tasks = (struct mp_writer_tasks){ .tasks = s->formatter->tasks,
					     .tables = s->formatter->tables,
					     .stacks = &s->formatter->chains,
					     .aggregator = w->aggregator,
					     .symbols = { s->formatter, s->formatter->tasks, NULL },
					     .counts = &w->counts,
					     .everyone = s->plan->everyone };
	w->sections = (struct mp_writer_sections){ .aggregator = w->aggregator,
						   .output = &w->output,
						   .state = &w->state };
	w->state = (struct mp_writer_state){ .journal = s->journal,
					     .merge = &w->merge,
					     .aggregator = w->aggregator,
					     .tasks = s->formatter->tasks,
					     .out = s->out };
}

void mp_writer_init(struct mp_writer *w, const struct mp_writer_setup *setup)
{
	char *memory = mp_journal_more(setup->journal);

	*w = (struct mp_writer){ .setup = *setup };
	w->window.stop_ns = UINT64_MAX;
	if (setup->plan->events.n_aggs)
		w->aggregator = mp_aggregator_new(&setup->plan->events, memory + MP_TASK_LOG_BYTES);
	w->task_log = mp_task_log_new(memory);
	setup->formatter->tasks->log = w->task_log;
	init_merge(w);
	init_counts(w);
	init_parts(w);
	list_state(w, setup->plan, w->merge.n_streams);
}

void mp_writer_release(struct mp_writer *w)
{
	mp_merge_release(&w->merge);
	mp_writer_state_release(&w->state);
	mp_writer_events_release(&w->events);
	mp_writer_files_release(&w->files);
	mp_writer_output_release(&w->output);
	mp_losses_free(w->losses);
	mp_aggregator_free(w->aggregator);
	mp_task_log_free(w->task_log);
	w->setup.formatter->tasks->log = NULL;
	free(w->counts.tally);
	free(w->counts.rings);
}

void mp_writer_use_names(struct mp_writer *w, struct mp_tasknames *names)
{
	w->output.names = names;
	w->tasks.symbols.names = names;
}

bool mp_writer_resume(struct mp_writer *w, uint64_t written)
{
	uint64_t max = w->setup.plan->max_events;

	if (!mp_writer_state_load(&w->state, w->output.modules))
		return written == 0;
	w->merge.broken_owner[sizeof(w->merge.broken_owner) - 1] = '\0';
	/* a summary on a terminal is not counted */
	if (!mp_writer_state_write_rest(&w->state, w->output.bytes, written) && !w->output.readable)
		return false;
	if (max && w->counts.all.written >= max)
		mp_writer_stop(&w->output);
	return true;
}

void mp_writer_end_queue(struct mp_writer *w)
{
	w->state.merge = NULL;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void put_watermark(struct mp_writer_output *output, uint64_t time_ns)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_ctl_add_watermark(&text, time_ns);
	mp_writer_put_control(output, mp_buf_view(&text));
	mp_buf_release(&text);
}

static void handle_round(struct mp_writer *w, uint64_t settled_ns)
{
	struct mp_writer_window *window = &w->window;
	struct mp_walk_tables *tables = w->tasks.tables;
	uint64_t watermark_ns;

	window->until_ns = MP_MAX(window->stop_ns, window->watermark_ns);
	/* after the stop, events that wait cost nobody anything */
	window->handled_ns = window->stop_ns == UINT64_MAX ? window->watermark_ns : 0;
	if (tables)
		tables->ended = window->stop_ns != UINT64_MAX;
	mp_merge_until(&w->merge, settled_ns);
	if (tables)
		mp_walk_tables_flush(tables);
	/* a round that ends while the events are being disabled may be later than the recording */
	watermark_ns = MP_MIN(settled_ns, window->until_ns);
	if (watermark_ns > window->watermark_ns && settled_ns != UINT64_MAX) {
		window->watermark_ns = watermark_ns;
		put_watermark(&w->output, watermark_ns);
		if (settled_ns > DEAD_NS)
			mp_tasks_prune(w->tasks.tasks, settled_ns - DEAD_NS);
	}
	mp_writer_flush(&w->state);
	if (mp_writer_files_is_full(&w->files)) {
		mp_writer_files_next(&w->files);
		mp_writer_flush(&w->state);
	}
	if (w->output.out->error)
		mp_writer_stop(&w->output);
}

/*
 * Handles the records of a round, once all those of tasks up to the scan have been noted. Another
 * writer may have handled this round, or a later one: its order stays.
 */
static void end_round(struct mp_writer *w, uint64_t began_ns, uint64_t settled_ns)
{
	struct mp_writer_window *window = &w->window;
	bool last = settled_ns == UINT64_MAX;

	if (!window->rounds_ns)
		window->rounds_ns = window->scanned_ns;
	if (began_ns >= window->scanned_ns || last)
		handle_round(w, settled_ns);
	else if (began_ns >= window->rounds_ns)
		mp_merge_close(&w->merge, settled_ns);
}

void mp_writer_run(struct mp_writer *w)
{
	uint64_t settled_ns = 0;

	while (settled_ns != UINT64_MAX) {
		struct mp_queue_item *item = mp_queue_pop(w->setup.queue, POP_MS);

		if (w->setup.tick)
			w->setup.tick(w->setup.arg);
		if (!item)
			continue;
		if (item->stream) {
			mp_merge_add(&w->merge, item);
			continue;
		}
		settled_ns = item->settled_ns;
		end_round(w, item->began_ns, settled_ns);
		mp_queue_done(w->setup.queue, item);
	}
}
