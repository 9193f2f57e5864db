// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/record.h"
#include "lib/capture/host/sampled.h"
#include "lib/core/clock.h"
#include "lib/stream/show.h"

enum {
	POP_MS = 100,
	GIVE_BACK_BYTES = 1 << 20, /* so that the drainer soon gets its memory back */
	/* how long an ended task is kept: its last switch comes after its exit record */
	DEAD_NS = 1000000000,
};

void mp_writer_release(struct mp_writer *w)
{
	mp_merge_release(&w->merge);
	free(w->tally);
	free(w->ring_tally);
	free(w->places);
	mp_losses_free(w->losses);
	mp_aggregator_free(w->aggregator);
	mp_intmap_release(&w->by_id);
	mp_buf_release(&w->text);
	mp_buf_release(&w->renamed);
	mp_buf_release(&w->parsed.raw);
}

/* --- the state between two records ----------------------------------------------------------- */

enum { PARTS_MAX = 32 };

struct parts {
	struct mp_journal_part v[PARTS_MAX];
	size_t n;
};

static void add(struct parts *parts, void *p, size_t size)
{
	parts->v[parts->n++] = (struct mp_journal_part){ p, size };
}

#define ADD(parts, member) add(parts, &(member), sizeof(member))

/* Lists what makes up the state. Of an empty writer, only the sizes are meant. */
static void list_parts(struct mp_writer *w, const struct mp_cut_plan *plan, size_t n_streams,
		       struct parts *to)
{
	size_t n = plan->n_rings * plan->events.n, size;
	void *aggregator = mp_aggregator_state(w->aggregator, &size);

	to->n = 0;
	ADD(to, w->written);
	ADD(to, w->excluded);
	ADD(to, w->lost);
	ADD(to, w->late);
	ADD(to, w->track_lost);
	ADD(to, w->throttled);
	ADD(to, w->merge.broken);
	ADD(to, w->merge.broken_owner);
	ADD(to, w->watermark_ns);
	ADD(to, w->until_ns);
	ADD(to, w->stop_ns);
	ADD(to, w->bytes);
	ADD(to, w->unwritten);
	ADD(to, w->ended);
	add(to, w->tally, n * sizeof(*w->tally));
	add(to, w->ring_tally, plan->n_rings * sizeof(*w->ring_tally));
	add(to, mp_losses_state(w->losses), mp_losses_state_bytes(plan));
	add(to, w->places, n_streams * sizeof(*w->places));
	add(to, w->formatter ? &w->formatter->unwound : NULL, sizeof(w->formatter->unwound));
	add(to, w->formatter ? &w->formatter->pointers : NULL, sizeof(w->formatter->pointers));
	if (!plan->events.n_aggs)
		return;
	add(to, aggregator, size);
	ADD(to, w->aggregates);
	ADD(to, w->section_lines);
}

size_t mp_writer_state_bytes(const struct mp_cut_plan *plan, size_t n_streams)
{
	struct mp_writer none = { .plan = plan };
	struct parts parts;
	size_t bytes = 0, i;

	list_parts(&none, plan, n_streams, &parts);
	for (i = 0; i < parts.n; i++)
		bytes += parts.v[i].size;
	return bytes;
}

size_t mp_writer_more_bytes(const struct mp_cut_plan *plan)
{
	return plan->events.n_aggs ? MP_AGG_LEDGER_BYTES : 0;
}

void mp_writer_flush(struct mp_writer *w)
{
	struct parts parts;

	if (w->queue)
		w->progress = mp_merge_places(&w->merge, w->places);
	mp_journal_set_progress(w->journal, w->progress + w->section_lines);
	w->unwritten = w->out->len;
	list_parts(w, w->plan, w->merge.n_streams, &parts);
	mp_journal_save(w->journal, parts.v, parts.n);
	if (w->aggregator)
		mp_aggregator_saved(w->aggregator);
	if (w->queue) {
		mp_queue_give_back(w->queue);
		w->merge.held = 0;
	}
	mp_out_flush(w->out);
}

bool mp_writer_resume(struct mp_writer *w, uint64_t written)
{
	struct parts parts;
	uint64_t rest;
	bool loaded;

	list_parts(w, w->plan, w->merge.n_streams, &parts);
	loaded = mp_journal_load(w->journal, parts.v, parts.n);
	if (w->aggregator)
		mp_aggregator_restore(w->aggregator, loaded,
				      &w->formatter->stacks->symbols->modules);
	if (!loaded)
		return written == 0;
	w->sections_from = w->section_lines;
	w->merge.broken_owner[sizeof(w->merge.broken_owner) - 1] = '\0';
	rest = w->bytes - written;
	if (written > w->bytes || rest > w->unwritten || w->unwritten > w->out->cap) {
		if (!w->readable)
			return false;
		rest = 0; /* a summary on a terminal is not counted */
	}
	/* the rest of the output stays where it is: this writer, too, may die while it writes */
	w->out->buf += w->unwritten - rest;
	w->out->len = rest;
	mp_out_flush(w->out);
	w->out->buf -= w->unwritten - rest;
	mp_merge_from(&w->merge, w->places);
	if (w->plan->max_events && w->written >= w->plan->max_events)
		w->stop(w->arg);
	return true;
}

/* --- output ----------------------------------------------------------------------------------- */

void mp_writer_put(struct mp_writer *w, struct mp_str text)
{
	w->bytes += text.len;
	mp_out_write(w->out, text.p, text.len);
}

void mp_writer_put_json(struct mp_writer *w, json_t *object)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	if (!w->readable)
		mp_writer_put(w, mp_buf_view(&line));
	mp_writer_flush(w);
	mp_buf_release(&line);
}

static void stop(struct mp_writer *w)
{
	if (!w->stopping)
		w->stop(w->arg);
	w->stopping = true;
}

static void put_text(struct mp_writer *w)
{
	if (!w->readable && !w->plan->events.silent)
		mp_writer_put(w, mp_buf_view(&w->text));
	w->text.len = 0;
}

/* Whether a tracepoint was hit in an interrupt, which only happens to interrupt this task. */
static bool is_of_interrupt(const struct mp_cut_event *e, const struct mp_sample *s)
{
	return e->common && !e->program && s->raw_len > MP_COMMON_FLAGS_AT &&
	       (s->raw[MP_COMMON_FLAGS_AT] & MP_COMMON_INTERRUPT);
}

/* Whether the user excludes the process. mp-record itself is always excluded. */
static bool is_excluded(const struct mp_writer *w, const struct mp_cut_event *e,
			const struct mp_sample *s, int32_t pid)
{
	return w->plan->exclude.n && mp_pids_has(&w->plan->exclude, pid) &&
	       !is_of_interrupt(e, s) && (!e->any_task || !mp_pids_has(&w->plan->own, pid));
}

/*
 * Whether to omit an event: the user excludes its process, -n was reached, another counter of the
 * same event also recorded it, or it fired while only some of the events were enabled (its
 * counterpart may be missing).
 */
static bool is_omitted(const struct mp_writer *w, const struct mp_cut_counter *c,
		       const struct mp_cut_event *e, const struct mp_sample *s,
		       const struct mp_task *task)
{
	return s->time_ns < w->from_ns || s->time_ns > w->until_ns ||
	       is_excluded(w, e, s, task->process->pid) ||
	       (w->plan->max_events && w->written == w->plan->max_events) ||
	       (task->source && task->source != c->tid);
}

/* Writes a line (with its LF), with task names from the user's table. */
static struct mp_str rename_tasks(struct mp_writer *w, struct mp_str line)
{
	struct mp_str renamed;
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, line.p, line.len - 1, &why) < 0)
		return line;
	renamed = mp_tasknames_apply(w->names, &rec, &w->renamed);
	if (renamed.p == line.p)
		return line;
	mp_buf_byte(&w->renamed, '\n');
	return mp_buf_view(&w->renamed);
}

void mp_writer_put_modules(struct mp_writer *w)
{
	struct mp_buf *modules = &w->formatter->stacks->symbols->modules;

	if (modules->len && !w->readable)
		mp_writer_put(w, mp_buf_view(modules));
	modules->len = 0;
}

/* Writes the line of an event. */
static void write_line(struct mp_writer *w, const struct mp_cut_event *e, size_t event,
		       const struct mp_sample *s, struct mp_task *task, int cpu)
{
	struct mp_str line = mp_formatter_line(w->formatter, e, event, s, task, cpu);

	mp_writer_put_modules(w);
	if (w->names)
		line = rename_tasks(w, line);
	if (w->live) {
		mp_live_add(w->live, line);
	} else {
		if (w->readable)
			line = mp_show_line(&w->text, line);
		mp_writer_put(w, line);
	}
	if (++w->written == w->plan->max_events)
		stop(w);
}

static void write_event(struct mp_writer *w, size_t ring, const struct mp_cut_counter *c,
			const struct mp_sample *s, struct mp_task *task)
{
	const struct mp_cut_event *e = &w->plan->events.v[c->event];
	struct mp_tally *t = mp_writer_tally(w, ring, c->event);

	if (is_omitted(w, c, e, s, task)) {
		t->excluded++;
		w->excluded++;
		return;
	}
	t->written++;
	write_line(w, e, c->event, s, task, w->plan->cpus[ring]);
}

/* The counter of a record; NULL: its id is unknown. */
static const struct mp_cut_counter *find_counter(const struct mp_writer *w, uint64_t id)
{
	uint64_t i = mp_intmap_get(&w->by_id, id);

	return i ? &w->plan->counters[i - 1] : NULL;
}

/*
 * Finds the event of a sample with an unknown id. If several programs record the same software
 * event, Linux 6.18 gives the samples of all of them the id of the first one, which is unknown
 * here. If this recording has only one such event, the sample belongs to it.
 */
static bool adopt(const struct mp_writer *w, struct mp_cut_counter *c)
{
	size_t i, n = 0;

	for (i = 0; i < w->plan->events.n; i++) {
		if (!w->plan->events.v[i].adopts)
			continue;
		*c = (struct mp_cut_counter){ .event = (uint32_t)i };
		n++;
	}
	return n == 1;
}

static void write_sample(struct mp_writer *w, size_t ring, const struct perf_event_header *h)
{
	const struct mp_cut_counter *c;
	const struct mp_cut_event *e;
	struct mp_cut_counter adopted;
	struct mp_task *task;
	struct mp_sample s;
	struct mp_str raw;
	uint64_t id;

	memcpy(&id, h + 1, sizeof(id));
	c = h->size >= 32 ? find_counter(w, id) : NULL;
	if (!c && h->size >= 32 && adopt(w, &adopted))
		c = &adopted;
	e = c ? &w->plan->events.v[c->event] : NULL;
	if (!e || mp_sample_parse(&s, e, h) < 0) {
		w->merge.broken++;
		return;
	}
	raw = (struct mp_str){ s.raw, s.raw_len };
	if (e->texts && mp_late_texts_is(raw)) {
		mp_writer_tally(w, ring, c->event)->excluded++;
		w->excluded++;
		return;
	}
	if (e->texts)
		raw = mp_late_texts_of(&w->formatter->late, s.tid, raw);
	s.raw = raw.p;
	s.raw_len = (uint32_t)raw.len;
	mp_writer_tally(w, ring, c->event)->weighted |= s.period != 1;
	task = mp_formatter_task(w->formatter, e, &s);
	adopted.tid = task->source;
	write_event(w, ring, c, &s, task);
}

static struct mp_str text_of(const struct perf_event_header *h, const char *text)
{
	const char *end = (const char *)mp_record_id(h);

	return (struct mp_str){ text, end > text ? strnlen(text, end - text) : 0 };
}

/*
 * Sets a task's new name from the record of an event; the tracking's own record may come a little
 * later.
 */
static void set_name(struct mp_writer *w, const struct perf_event_header *h)
{
	const struct mp_record_comm *r = (const struct mp_record_comm *)h;

	if (h->type == PERF_RECORD_COMM)
		mp_tasks_comm(w->tasks, r->pid, r->tid, text_of(h, r->comm), false);
}

/* Writes an event that the kernel reports with its own type of record, such as task:exec. */
static void write_builtin(struct mp_writer *w, size_t ring, const struct mp_queue_record *x)
{
	const struct mp_cut_counter *c = find_counter(w, mp_record_id(x->record)->id);
	const struct mp_cut_event *e = c ? &w->plan->events.v[c->event] : NULL;
	struct mp_sample s = { .time_ns = x->time_ns, .period = 1 };

	if (!e || !e->own) {
		w->merge.broken++;
		return;
	}
	if (!mp_sample_of_record(e, x->record, &w->parsed))
		return;
	set_name(w, x->record);
	s.pid = w->parsed.pid;
	s.tid = w->parsed.tid;
	s.raw = w->parsed.raw.p;
	s.raw_len = (uint32_t)w->parsed.raw.len;
	write_event(w, ring, c, &s, mp_tasks_get(w->tasks, s.pid, s.tid));
}

/* Writes a polled value. It is not in the account, since no event fired. */
static void write_sampled(struct mp_writer *w, const struct mp_sampled *r)
{
	struct mp_cut_event e = w->plan->events.v[r->event];
	struct mp_process process = { .pid = r->pid };
	struct mp_task named = { .tid = r->tid, .process = &process }, *task = &named;
	struct mp_sample s = {
		.time_ns = r->time_ns,
		.dur_ns = r->dur_ns,
		.cgroup = r->cgroup,
		.raw = (const char *)&r->raw,
		.raw_len = r->raw_len,
	};

	w->late += r->time_ns < w->watermark_ns;
	if (w->plan->max_events && w->written == w->plan->max_events)
		return;
	if (r->pid < 0) /* "[rest]", a CPU or a cgroup: not a task */
		e.context &= ~(MP_CTX_PID | MP_CTX_TID);
	if (!r->cgroup)
		e.context &= ~MP_CTX_CGROUP;
	named.comm_len = (uint8_t)r->comm_len;
	memcpy(named.comm, r->comm, r->comm_len);
	if (!r->comm_len && r->pid > 0)
		task = mp_tasks_get(w->tasks, r->pid, r->tid);
	/* after the stop only the last counts arrive: the recording extends to them */
	w->until_ns = MP_MAX(w->until_ns, r->time_ns);
	write_line(w, &e, r->event, &s, task, r->cpu);
}

void mp_writer_put_loss(struct mp_writer *w, size_t ring, const struct mp_ctl *loss)
{
	struct mp_ctl line = *loss;

	line.time_ns = MP_MIN(loss->time_ns, w->until_ns);
	line.from_ns = MP_MIN(loss->from_ns, line.time_ns);
	w->lost += loss->lost;
	w->ring_tally[ring].lost += loss->lost;
	w->text.len = 0;
	mp_ctl_add_lost(&w->text, &line);
	put_text(w);
}

static void put_loss(void *arg, size_t ring, const struct mp_ctl *loss)
{
	mp_writer_put_loss(arg, ring, loss);
}

/* Handles a loss that the ring reports. The next check of the counters finds out its type. */
static void handle_lost(struct mp_writer *w, size_t ring, const struct mp_queue_record *x)
{
	const struct mp_record_lost *r = (const struct mp_record_lost *)x->record;
	struct mp_ring_tally *t = &w->ring_tally[ring];

	if (!w->losses)
		mp_writer_put_loss(w, ring,
				   &(struct mp_ctl){ .lost = mp_count_sum(r->lost, 0),
						     .from_ns = x->preceding_ns,
						     .time_ns = x->time_ns,
						     .cpu = w->plan->cpus[ring] });
	else if (!t->full_from_ns)
		t->full_from_ns = MP_MAX(x->preceding_ns, 1u);
}

static void write_throttle(struct mp_writer *w, size_t ring, uint64_t time_ns)
{
	w->throttled++;
	w->text.len = 0;
	mp_buf_printf(&w->text, "{\"throttle\":true,\"time\":%llu,\"cpu\":%d}\n",
		      (unsigned long long)time_ns, w->plan->cpus[ring]);
	put_text(w);
}

static void handle_event(struct mp_writer *w, size_t ring, const struct mp_queue_record *x)
{
	switch (x->record->type) {
	case PERF_RECORD_SAMPLE:
		write_sample(w, ring, x->record);
		break;
	case PERF_RECORD_LOST:
		handle_lost(w, ring, x);
		break;
	case PERF_RECORD_THROTTLE:
		write_throttle(w, ring, x->time_ns);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_MMAP2:
		write_builtin(w, ring, x);
		break;
	}
}

static void handle_mmap(struct mp_writer *w, const struct mp_record_mmap2 *r)
{
	struct mp_proc_map map = {
		.start = r->addr,
		.end = r->addr + r->len,
		.offset = r->pgoff,
		.major = r->maj,
		.minor = r->min,
		.inode = r->ino,
		.path = r->filename,
	};

	if (text_of(&r->header, r->filename).len == 0)
		map.path = "";
	mp_tasks_mmap(w->tasks, r->pid, r->tid, &map);
}

/*
 * Sends the mappings of a process for its BPF tables: of any process if the whole system is
 * recorded, otherwise only of processes that have tables.
 */
static void update_tables(struct mp_writer *w, pid_t tid, uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(w->tasks, tid);

	if (w->formatter->tables && task && (w->plan->everyone || task->process->tables))
		mp_walk_tables_changed(w->formatter->tables, task, time_ns);
}

/* Between two records, another writer could continue. */
static void end_record(struct mp_writer *w, const struct mp_queue_stream *stream)
{
	mp_merge_handled(&w->merge, stream);
	if (w->out->len < MP_READ_SIZE && w->merge.held < GIVE_BACK_BYTES)
		return;
	mp_writer_flush(w);
	if (w->tick)
		w->tick(w->arg);
}

static void handle_events(void *arg, const struct mp_queue_stream *stream,
			  const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	size_t i;

	for (i = 0; i < n; i++) {
		w->late += records[i].time_ns < w->watermark_ns;
		w->ring_tally[stream->index].last_ns = records[i].time_ns;
		handle_event(w, stream->index, &records[i]);
		end_record(w, stream);
	}
}

/* Adds totals of aggregates. False: the record is damaged. */
static bool handle_totals(struct mp_writer *w, const struct perf_event_header *h)
{
	size_t len;
	const void *body = mp_cut_record_body(h, &len);

	if (!w->aggregator)
		return false;
	if (h->type == MP_CUT_TOTALS) {
		mp_aggregator_add(w->aggregator, body, len / sizeof(struct mp_cut_total));
		mp_aggregator_settle(w->aggregator);
		return true;
	}
	if (len != sizeof(w->aggregates))
		return false;
	memcpy(&w->aggregates, body, len);
	return true;
}

static bool handle_reading(struct mp_writer *w, const struct mp_queue_record *x)
{
	const struct perf_event_header *h = x->record;

	switch (h->type) {
	case MP_CUT_CHECK:
		return w->losses && mp_losses_checked(w->losses, h, x->time_ns);
	case MP_CUT_TOTALS:
	case MP_CUT_TOTALS_END:
		return handle_totals(w, h);
	case MP_SAMPLED:
		if (h->size != sizeof(struct mp_sampled) ||
		    ((const struct mp_sampled *)h)->event >= w->plan->events.n)
			return false;
		write_sampled(w, (const struct mp_sampled *)h);
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

/* Counts records that the collector dropped because their user makes too many. */
static void handle_refused(struct mp_writer *w, const struct mp_record_refused *r)
{
	const struct mp_task *leader = mp_tasks_find(w->tasks, (pid_t)r->pid);
	struct mp_budget_who who = { .uid = r->uid, .pid = (pid_t)r->pid, .file = r->file };

	if (leader)
		who.comm = (struct mp_str){ leader->comm, leader->comm_len };
	if (r->kind < MP_BUDGET_KINDS)
		mp_budget_refused(w->tasks->budget, (enum mp_budget_kind)r->kind, &who, r->n);
}

static void handle_stacks(void *arg, const struct mp_queue_stream *stream,
			  const struct mp_queue_record *records, size_t n)
{
	struct mp_writer *w = arg;
	struct mp_agg_symbols symbols = { w->formatter, w->tasks, w->names };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct perf_event_header *h = records[i].record;
		bool valid = true;

		if (h->type == MP_TRACK_REFUSED)
			handle_refused(w, (const struct mp_record_refused *)h);
		else if (h->type == MP_BPF_RECORD || h->type == MP_BPF_COPY)
			valid = mp_pending_stacks_put(&w->formatter->chains, (const void *)h);
		else
			valid = h->type == MP_AGG_STACK && w->aggregator &&
				mp_aggregator_stack(w->aggregator, (const void *)h, &symbols);
		w->merge.broken += !valid && !w->merge.repeats;
		end_record(w, stream);
	}
}

static void handle_task(struct mp_writer *w, const struct mp_queue_record *x)
{
	const struct perf_event_header *h = x->record;
	const struct mp_record_comm *comm = (const struct mp_record_comm *)h;
	const struct mp_record_fork *task = (const struct mp_record_fork *)h;

	switch (h->type) {
	case PERF_RECORD_COMM:
		mp_tasks_comm(w->tasks, comm->pid, comm->tid, text_of(h, comm->comm),
			      h->misc & PERF_RECORD_MISC_COMM_EXEC);
		break;
	case PERF_RECORD_FORK:
		mp_tasks_fork(w->tasks, task->pid, task->tid, task->ppid, task->ptid);
		update_tables(w, task->tid, x->time_ns);
		break;
	case PERF_RECORD_EXIT:
		mp_tasks_exit(w->tasks, task->tid, x->time_ns);
		break;
	case PERF_RECORD_MMAP2:
		handle_mmap(w, (const struct mp_record_mmap2 *)h);
		update_tables(w, ((const struct mp_record_mmap2 *)h)->tid, x->time_ns);
		break;
	case PERF_RECORD_LOST:
		if (!w->merge.repeats)
			w->track_lost += ((const struct mp_record_lost *)h)->lost;
		break;
	case MP_TRACK_REFUSED:
		handle_refused(w, (const struct mp_record_refused *)h);
		break;
	}
}

static void handle_tasks(void *arg, const struct mp_queue_stream *stream,
			 const struct mp_queue_record *records, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		handle_task(arg, &records[i]);
		end_record(arg, stream);
	}
}

static void note_task(struct mp_writer *w, const struct mp_queue_record *x)
{
	const struct mp_record_comm *comm = (const struct mp_record_comm *)x->record;
	bool exec = x->record->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (x->record->type == PERF_RECORD_COMM)
		mp_tasks_foresee(w->tasks, comm->tid, x->time_ns, exec);
	if (x->record->type == PERF_RECORD_MMAP2 || (x->record->type == PERF_RECORD_COMM && exec))
		mp_tasks_changed(w->tasks, comm->tid, x->time_ns);
}

/* Notes the texts of a system call that came after its record. */
static void note_event(struct mp_writer *w, const struct perf_event_header *h)
{
	const struct mp_cut_counter *c = NULL;
	struct mp_sample s;
	uint64_t id;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= 32) {
		memcpy(&id, h + 1, sizeof(id));
		c = find_counter(w, id);
	}
	if (c && w->plan->events.v[c->event].texts &&
	    mp_sample_parse(&s, &w->plan->events.v[c->event], h) == 0)
		mp_late_texts_note(&w->formatter->late, s.tid, (struct mp_str){ s.raw, s.raw_len });
}

/* Handles what the writer must know from a record before the record's turn in time comes. */
static void note(void *arg, enum mp_queue_type type, const struct mp_queue_record *x)
{
	struct mp_writer *w = arg;

	if (type == MP_QUEUE_EVENTS)
		note_event(w, x->record);
	if (type == MP_QUEUE_TASKS)
		note_task(w, x);
	if (type == MP_QUEUE_READINGS && x->record->type == MP_CUT_STOP)
		w->stop_ns = x->time_ns;
	if (type == MP_QUEUE_STACKS && x->record->type == MP_BPF_COPY)
		mp_walk_tables_copied(w->formatter->tables,
				      (pid_t)((const struct mp_bpf_head *)x->record)->tid,
				      w->watermark_ns);
}

static void end_round(struct mp_writer *w, uint64_t settled_ns)
{
	uint64_t watermark_ns;

	w->until_ns = MP_MAX(w->stop_ns, w->watermark_ns);
	/* after the stop, events that wait cost nobody anything */
	w->handled_ns = w->stop_ns == UINT64_MAX ? w->watermark_ns : 0;
	if (w->formatter->tables)
		w->formatter->tables->ended = w->stop_ns != UINT64_MAX;
	mp_merge_until(&w->merge, settled_ns);
	if (w->formatter->tables)
		mp_walk_tables_flush(w->formatter->tables);
	/* a round that ends while the events are being disabled may be later than the recording */
	watermark_ns = MP_MIN(settled_ns, w->until_ns);
	if (watermark_ns > w->watermark_ns && settled_ns != UINT64_MAX) {
		w->watermark_ns = watermark_ns;
		w->text.len = 0;
		mp_ctl_add_watermark(&w->text, watermark_ns);
		put_text(w);
		if (settled_ns > DEAD_NS)
			mp_tasks_prune(w->tasks, settled_ns - DEAD_NS);
	}
	mp_writer_flush(w);
	if (w->out->error)
		stop(w);
}

void mp_writer_init(struct mp_writer *w)
{
	static mp_queue_handler *const handlers[MP_QUEUE_TYPES] = {
		[MP_QUEUE_EVENTS] = handle_events,
		[MP_QUEUE_READINGS] = handle_readings,
		[MP_QUEUE_TASKS] = handle_tasks,
		[MP_QUEUE_STACKS] = handle_stacks,
	};
	const struct mp_cut_plan *plan = w->plan;
	size_t i;

	for (i = 0; i < MP_QUEUE_TYPES; i++)
		mp_queue_set_handler(w->queue, (enum mp_queue_type)i, handlers[i], w);
	w->merge = (struct mp_merge){ .queue = w->queue, .note = note, .arg = w };
	for (i = 0; i < plan->events.n; i++)
		w->merge.notes_events |= plan->events.v[i].texts;
	mp_merge_init(&w->merge);
	w->places = mp_zalloc(w->merge.n_streams * sizeof(*w->places));
	w->tally = mp_zalloc(plan->n_rings * plan->events.n * sizeof(*w->tally));
	w->ring_tally = mp_zalloc(plan->n_rings * sizeof(*w->ring_tally));
	w->stop_ns = UINT64_MAX;
	mp_intmap_init(&w->by_id);
	for (i = 0; i < plan->n_counters; i++)
		mp_intmap_add(&w->by_id, plan->counters[i].id, i + 1);
	if (plan->events.n_aggs)
		w->aggregator = mp_aggregator_new(&plan->events, mp_journal_more(w->journal));
	w->losses = mp_losses_new(&(struct mp_losses_setup){ .plan = plan,
							     .tally = w->tally,
							     .rings = w->ring_tally,
							     .start_ns = &w->from_ns,
							     .put = put_loss,
							     .arg = w });
}

void mp_writer_run(struct mp_writer *w)
{
	uint64_t settled_ns = 0;
	bool complete;

	while (settled_ns != UINT64_MAX) {
		struct mp_queue_item *item = mp_queue_pop(w->queue, POP_MS);

		if (w->tick)
			w->tick(w->arg);
		if (!item)
			continue;
		if (item->stream) {
			mp_merge_add(&w->merge, item);
			continue;
		}
		settled_ns = item->settled_ns;
		/* the kernel's records of tasks up to the scan must have been noted */
		complete = item->began_ns >= w->scanned_ns || settled_ns == UINT64_MAX;
		mp_queue_done(w->queue, item);
		if (complete)
			end_round(w, settled_ns);
	}
}
