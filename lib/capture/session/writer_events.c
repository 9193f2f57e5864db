// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_events.h"

#include <string.h>

#include "lib/capture/host/record.h"
#include "lib/capture/host/sampled.h"
#include "lib/capture/session/merge.h"

void mp_writer_events_init(struct mp_writer_events *w)
{
	size_t i;

	mp_intmap_init(&w->by_id);
	for (i = 0; i < w->plan->n_counters; i++)
		mp_intmap_add(&w->by_id, w->plan->counters[i].id, i + 1);
}

void mp_writer_events_release(struct mp_writer_events *w)
{
	mp_intmap_release(&w->by_id);
	mp_buf_release(&w->parsed.raw);
	mp_buf_release(&w->text);
}

/* Whether a tracepoint was hit in an interrupt, which only happens to interrupt this task. */
static bool is_of_interrupt(const struct mp_cut_event *e, const struct mp_sample *s)
{
	return e->common && !e->program && s->raw_len > MP_COMMON_FLAGS_AT &&
	       (s->raw[MP_COMMON_FLAGS_AT] & MP_COMMON_INTERRUPT);
}

/* Whether the user excludes the process. mp-record itself is always excluded. */
static bool is_excluded(const struct mp_writer_events *w, const struct mp_cut_event *e,
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
static bool is_omitted(const struct mp_writer_events *w, const struct mp_cut_counter *c,
		       const struct mp_cut_event *e, const struct mp_sample *s,
		       const struct mp_task *task)
{
	return s->time_ns < w->window->from_ns || s->time_ns > w->window->until_ns ||
	       is_excluded(w, e, s, task->process->pid) ||
	       (w->plan->max_events && w->counts->all.written == w->plan->max_events) ||
	       (task->source && task->source != c->tid);
}

/* Writes the line of an event. */
static void write_line(struct mp_writer_events *w, const struct mp_cut_event *e, size_t event,
		       const struct mp_sample *s, struct mp_task *task, int cpu)
{
	struct mp_str line = mp_formatter_line(w->formatter, e, event, s, task, cpu);

	mp_writer_put_modules(w->output);
	mp_writer_put_line(w->output, line);
	if (++w->counts->all.written == w->plan->max_events)
		mp_writer_stop(w->output);
}

static void write_event(struct mp_writer_events *w, size_t ring, const struct mp_cut_counter *c,
			const struct mp_sample *s, struct mp_task *task)
{
	const struct mp_cut_event *e = &w->plan->events.v[c->event];
	struct mp_tally *t = mp_writer_tally(w->counts, ring, c->event);

	if (is_omitted(w, c, e, s, task)) {
		t->excluded++;
		w->counts->all.excluded++;
		return;
	}
	t->written++;
	write_line(w, e, c->event, s, task, w->plan->cpus[ring]);
}

/* The counter of a record; NULL: its id is unknown. */
static const struct mp_cut_counter *find_counter(const struct mp_writer_events *w, uint64_t id)
{
	uint64_t i = mp_intmap_get(&w->by_id, id);

	return i ? &w->plan->counters[i - 1] : NULL;
}

/*
 * Finds the event of a sample with an unknown id. If several programs record the same software
 * event, Linux 6.18 gives the samples of all of them the id of the first one, which is unknown
 * here. If this recording has only one such event, the sample belongs to it.
 */
static bool adopt(const struct mp_writer_events *w, struct mp_cut_counter *c)
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

static bool write_sample(struct mp_writer_events *w, size_t ring, const struct perf_event_header *h)
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
	if (!e || mp_sample_parse(&s, e, h) < 0)
		return false;
	raw = (struct mp_str){ s.raw, s.raw_len };
	if (e->texts && mp_late_texts_is(raw)) {
		mp_writer_tally(w->counts, ring, c->event)->excluded++;
		w->counts->all.excluded++;
		return true;
	}
	if (e->texts)
		raw = mp_late_texts_of(&w->formatter->late, s.tid, raw);
	s.raw = raw.p;
	s.raw_len = (uint32_t)raw.len;
	mp_writer_tally(w->counts, ring, c->event)->weighted |= s.period != 1;
	task = mp_formatter_task(w->formatter, e, &s);
	adopted.tid = task->source;
	write_event(w, ring, c, &s, task);
	return true;
}

/*
 * Sets a task's new name from the record of an event; the tracking's own record may come a little
 * later.
 */
static void set_name(struct mp_writer_events *w, const struct mp_queue_record *x)
{
	const struct perf_event_header *h = x->record;
	const struct mp_record_comm *r = (const struct mp_record_comm *)h;

	if (h->type == PERF_RECORD_COMM)
		mp_tasks_comm(w->formatter->tasks, r->pid, r->tid, mp_record_text(h, r->comm),
			      false, x->time_ns);
}

/* Writes an event that the kernel reports with its own type of record, such as task:exec. */
static bool write_builtin(struct mp_writer_events *w, size_t ring, const struct mp_queue_record *x)
{
	const struct mp_cut_counter *c = find_counter(w, mp_record_id(x->record)->id);
	const struct mp_cut_event *e = c ? &w->plan->events.v[c->event] : NULL;
	struct mp_sample s = { .time_ns = x->time_ns, .period = 1 };

	if (!e || !e->own)
		return false;
	if (!mp_sample_of_record(e, x->record, &w->parsed))
		return true;
	set_name(w, x);
	s.pid = w->parsed.pid;
	s.tid = w->parsed.tid;
	s.raw = w->parsed.raw.p;
	s.raw_len = (uint32_t)w->parsed.raw.len;
	write_event(w, ring, c, &s, mp_tasks_get(w->formatter->tasks, s.pid, s.tid));
	return true;
}

/* Writes a polled value. It is not in the account, since no event fired. */
static void write_sampled(struct mp_writer_events *w, const struct mp_sampled *r, bool late)
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

	w->counts->all.late += late;
	if (w->plan->max_events && w->counts->all.written == w->plan->max_events)
		return;
	if (r->pid < 0) /* "[rest]", a CPU or a cgroup: not a task */
		e.context &= ~(MP_CTX_PID | MP_CTX_TID);
	if (!r->cgroup)
		e.context &= ~MP_CTX_CGROUP;
	named.comm_len = (uint8_t)r->comm_len;
	memcpy(named.comm, r->comm, r->comm_len);
	if (!r->comm_len && r->pid > 0)
		task = mp_tasks_get(w->formatter->tasks, r->pid, r->tid);
	/* after the stop only the last counts arrive: the recording extends to them */
	w->window->until_ns = MP_MAX(w->window->until_ns, r->time_ns);
	write_line(w, &e, r->event, &s, task, r->cpu);
}

void mp_writer_put_loss(struct mp_writer_events *w, size_t ring, const struct mp_ctl *loss)
{
	struct mp_ctl line = *loss;

	line.time_ns = MP_MIN(loss->time_ns, w->window->until_ns);
	line.from_ns = MP_MIN(loss->from_ns, line.time_ns);
	w->counts->all.lost += loss->lost;
	w->counts->rings[ring].lost += loss->lost;
	w->text.len = 0;
	mp_ctl_add_lost(&w->text, &line);
	mp_writer_put_control(w->output, mp_buf_view(&w->text));
}

/* Handles a loss that the ring reports. The next check of the counters finds out its type. */
static void handle_lost(struct mp_writer_events *w, size_t ring, const struct mp_queue_record *x)
{
	const struct mp_record_lost *r = (const struct mp_record_lost *)x->record;
	struct mp_ring_tally *t = &w->counts->rings[ring];

	if (!w->plan->counts)
		mp_writer_put_loss(w, ring,
				   &(struct mp_ctl){ .lost = mp_count_sum(r->lost, 0),
						     .from_ns = x->preceding_ns,
						     .time_ns = x->time_ns,
						     .cpu = w->plan->cpus[ring] });
	else if (!t->full_from_ns)
		t->full_from_ns = MP_MAX(x->preceding_ns, 1u);
}

static void write_throttle(struct mp_writer_events *w, size_t ring, uint64_t time_ns)
{
	w->counts->all.throttled++;
	w->text.len = 0;
	mp_buf_printf(&w->text, "{\"throttle\":true,\"time\":%llu,\"cpu\":%d}\n",
		      (unsigned long long)time_ns, w->plan->cpus[ring]);
	mp_writer_put_control(w->output, mp_buf_view(&w->text));
}

bool mp_writer_event(struct mp_writer_events *w, size_t ring, const struct mp_queue_record *x)
{
	w->counts->all.late += mp_merge_is_late(x) && x->time_ns < w->window->until_ns;
	w->counts->rings[ring].last_ns = x->time_ns;
	switch (x->record->type) {
	case PERF_RECORD_SAMPLE:
		return write_sample(w, ring, x->record);
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
		return write_builtin(w, ring, x);
	}
	return true;
}

bool mp_writer_sampled(struct mp_writer_events *w, const struct mp_queue_record *x)
{
	const struct mp_sampled *r = (const struct mp_sampled *)x->record;

	if (x->record->size != sizeof(*r) || r->event >= w->plan->events.n)
		return false;
	write_sampled(w, r, mp_merge_is_late(x));
	return true;
}

void mp_writer_note_event(struct mp_writer_events *w, const struct perf_event_header *h)
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
