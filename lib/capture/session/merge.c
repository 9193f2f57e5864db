// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/merge.h"

#include <stdlib.h>
#include <string.h>

#include "lib/capture/host/cut.h"
#include "lib/capture/host/record.h"

enum {
	/*
	 * more than a sample can be later than the time by which its stack is sorted:
	 * MP_BPF_EARLIER_NS and, in pending_stacks.c, NEAR_NS
	 */
	STACKS_KEPT_NS = 400000,
};

struct mp_merge_stream {
	/* the records that wait for their turn, in order of time */
	struct mp_queue_record *v;
	size_t first, n, cap;
	uint64_t last_ns; /* time of the previous record in the stream */
	uint64_t merged;  /* records that were handled */
	uint64_t
		counted; /* another process has counted what is broken in the chunks before this one */
	/* another process has handled the chunks before this one, and so many of its records */
	struct mp_queue_place from;
	/* the same of a stream whose records are handled again, and how many of them still are */
	struct mp_queue_place repeated;
	uint64_t again;
};

void mp_merge_init(struct mp_merge *m)
{
	m->n_streams = mp_queue_streams(m->queue);
	m->streams = mp_zalloc(m->n_streams * sizeof(*m->streams));
}

void mp_merge_release(struct mp_merge *m)
{
	size_t i;

	for (i = 0; i < m->n_streams; i++)
		free(m->streams[i].v);
	free(m->streams);
	free(m->kept);
}

static bool is_complete(const struct perf_event_header *h, enum mp_queue_type type)
{
	static const size_t least[] = {
		[PERF_RECORD_LOST] = sizeof(struct mp_record_lost),
		[PERF_RECORD_COMM] = sizeof(struct mp_record_comm) + 1,
		[PERF_RECORD_FORK] = sizeof(struct mp_record_fork),
		[PERF_RECORD_EXIT] = sizeof(struct mp_record_fork),
		[PERF_RECORD_MMAP2] = sizeof(struct mp_record_mmap2) + 1,
	};

	if (h->size % sizeof(uint64_t))
		return false; /* all that make records pad them */
	if (type == MP_QUEUE_STACKS && h->size < sizeof(struct mp_bpf_head))
		return false;
	if (h->type == MP_TRACK_REFUSED && (type == MP_QUEUE_TASKS || type == MP_QUEUE_STACKS))
		return h->size == sizeof(struct mp_record_refused);
	return h->type >= MP_ARRAY_SIZE(least) || !least[h->type] ||
	       h->size >= least[h->type] + sizeof(struct mp_record_id);
}

bool mp_merge_is_late(const struct mp_queue_record *x)
{
	return x->time_ns < x->item->bound_ns;
}

/* Whether a record is to be handled before one that has come earlier. */
static bool precedes(const struct mp_queue_record *x, const struct mp_queue_record *earlier)
{
	bool closed =
		earlier->item->round != x->item->round && earlier->time_ns < x->item->bound_ns;

	return x->time_ns < earlier->time_ns && !closed;
}

/* Inserts a record among those that wait; nearly always at the end. */
static void enqueue(struct mp_merge_stream *q, const struct mp_queue_record *x)
{
	size_t i;

	q->v = mp_grow(q->v, &q->cap, q->n + 1, sizeof(*q->v));
	for (i = q->n++; i > q->first && precedes(x, &q->v[i - 1]); i--)
		q->v[i] = q->v[i - 1];
	q->v[i] = *x;
}

static void add_broken(struct mp_merge *m, const struct mp_queue_item *chunk)
{
	if (chunk->number < m->streams[chunk->stream->number].counted)
		return;
	m->broken++;
	memcpy(m->broken_owner, chunk->stream->owner, sizeof(m->broken_owner));
}

static void finish_chunk(struct mp_merge *m, struct mp_queue_item *chunk)
{
	if (chunk->stream->type == MP_QUEUE_STACKS && chunk->records) {
		m->kept = mp_grow(m->kept, &m->cap_kept, m->n_kept + 1, sizeof(*m->kept));
		m->kept[m->n_kept++] = chunk;
		return;
	}
	m->held += chunk->len;
	mp_queue_done(m->queue, chunk);
}

/* Finishes chunks of stacks that no sample after `now_ns` needs. */
static void finish_kept(struct mp_merge *m, uint64_t now_ns)
{
	size_t n, i;

	m->now_ns = MP_MAX(m->now_ns, now_ns);
	for (n = 0; n < m->n_kept && m->kept[n]->last_ns + STACKS_KEPT_NS < m->now_ns; n++) {
		m->held += m->kept[n]->len;
		mp_queue_done(m->queue, m->kept[n]);
	}
	m->n_kept -= n;
	for (i = 0; n && i < m->n_kept; i++)
		m->kept[i] = m->kept[i + n];
}

void mp_merge_add(struct mp_merge *m, struct mp_queue_item *chunk)
{
	struct mp_merge_stream *q = &m->streams[chunk->stream->number];
	size_t at = 0;

	if (chunk->number < q->from.chunk)
		at = chunk->len;
	chunk->refs = 1;
	chunk->round = m->round;
	chunk->bound_ns = m->bound_ns;
	while (chunk->len - at >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h =
			(const struct perf_event_header *)(chunk->data + at);
		struct mp_queue_record x = { .preceding_ns = q->last_ns,
					     .record = h,
					     .item = chunk };

		if (h->size < sizeof(*h) || h->size > chunk->len - at ||
		    !is_complete(h, chunk->stream->type)) {
			add_broken(m, chunk);
			break;
		}
		at += h->size;
		x.time_ns = mp_record_time(h);
		if (x.time_ns > INT64_MAX) {
			add_broken(m, chunk);
			continue;
		}
		q->last_ns = x.time_ns;
		chunk->last_ns = MP_MAX(chunk->last_ns, x.time_ns);
		if (chunk->stream->type != MP_QUEUE_EVENTS || m->notes_events)
			m->note(m->arg, chunk->stream->type, &x);
		enqueue(q, &x);
		chunk->refs++;
	}
	chunk->records = --chunk->refs;
	if (chunk->number < q->repeated.chunk)
		q->again += chunk->records;
	if (!chunk->refs)
		finish_chunk(m, chunk);
}

/* Finds the two streams whose next records are earliest; SIZE_MAX: there is none. */
static void find_earliest(const struct mp_merge *m, size_t *first, uint64_t *second_ns)
{
	uint64_t first_ns = UINT64_MAX;
	size_t i;

	*first = SIZE_MAX;
	*second_ns = UINT64_MAX;
	for (i = 0; i < m->n_streams; i++) {
		const struct mp_merge_stream *q = &m->streams[i];
		uint64_t ns;

		if (q->first == q->n)
			continue;
		ns = q->v[q->first].time_ns;
		if (*first == SIZE_MAX || ns < first_ns) {
			*second_ns = first_ns;
			first_ns = ns;
			*first = i;
		} else if (ns < *second_ns) {
			*second_ns = ns;
		}
	}
}

/* Handles the next records of a stream up to `last_ns`, at most those of one chunk. */
static void handle_run(struct mp_merge *m, struct mp_merge_stream *q, uint64_t last_ns)
{
	const struct mp_queue_record *run = &q->v[q->first];
	struct mp_queue_item *chunk = run->item;
	uint64_t broken = m->broken;
	size_t n = 1, before, again;

	while (q->first + n < q->n && run[n].item == chunk && run[n].time_ns <= last_ns)
		n++;
	q->first += n;
	before = MP_MIN(q->from.records, n);
	q->from.records -= before;
	q->merged += before;
	again = MP_MIN(q->again, n);
	m->repeats = true;
	mp_queue_handle(m->queue, chunk->stream, run, again);
	m->repeats = false;
	before = MP_MAX(before, again);
	mp_queue_handle(m->queue, chunk->stream, run + before, n - before);
	if (m->broken > broken)
		memcpy(m->broken_owner, chunk->stream->owner, sizeof(m->broken_owner));
	chunk->refs -= n;
	finish_kept(m, run[n - 1].time_ns);
	if (chunk->refs == 0)
		finish_chunk(m, chunk);
}

void mp_merge_close(struct mp_merge *m, uint64_t bound_ns)
{
	m->round++;
	m->bound_ns = MP_MAX(m->bound_ns, bound_ns);
}

void mp_merge_until(struct mp_merge *m, uint64_t bound_ns)
{
	uint64_t second_ns;
	size_t i;

	mp_merge_close(m, bound_ns);
	for (;;) {
		struct mp_merge_stream *q;

		find_earliest(m, &i, &second_ns);
		if (i == SIZE_MAX || m->streams[i].v[m->streams[i].first].time_ns >= bound_ns)
			break;
		q = &m->streams[i];
		second_ns = MP_MIN(second_ns, bound_ns - 1);
		do
			handle_run(m, q, second_ns);
		while (q->first < q->n && q->v[q->first].time_ns <= second_ns);
	}
	finish_kept(m, bound_ns);
	for (i = 0; i < m->n_streams; i++) {
		struct mp_merge_stream *q = &m->streams[i];

		if (q->first == 0)
			continue;
		memmove(q->v, q->v + q->first, (q->n - q->first) * sizeof(*q->v));
		q->n -= q->first;
		q->first = 0;
	}
}

void mp_merge_handled(struct mp_merge *m, const struct mp_queue_stream *stream)
{
	struct mp_merge_stream *q = &m->streams[stream->number];

	q->merged++;
	q->again -= m->repeats;
}

/* How far a stream was handled, by this process and those before it. */
static struct mp_queue_place place_of(const struct mp_merge *m, uint32_t stream)
{
	const struct mp_merge_stream *q = &m->streams[stream];
	struct mp_queue_place at = mp_queue_place(m->queue, stream);

	at.taken = MP_MAX(at.taken, q->counted);
	if (q->again || at.chunk < q->repeated.chunk) {
		at.chunk = q->repeated.chunk;
		at.records = q->repeated.records;
	} else {
		/* the turn of some that another process has handled may not have come yet */
		at.chunk = MP_MAX(at.chunk, q->from.chunk);
		at.records = q->merged + q->from.records - at.records;
	}
	return at;
}

uint64_t mp_merge_places(const struct mp_merge *m, struct mp_queue_place *places)
{
	uint64_t progress = 0;
	uint32_t i;

	for (i = 0; i < m->n_streams; i++) {
		places[i] = place_of(m, i);
		progress += (places[i].chunk << 32) + places[i].records;
	}
	return progress;
}

static bool is_handled_again(enum mp_queue_type type)
{
	return type == MP_QUEUE_TASKS || type == MP_QUEUE_STACKS;
}

void mp_merge_from(struct mp_merge *m, const struct mp_queue_place *places)
{
	uint32_t i;

	for (i = 0; i < m->n_streams; i++) {
		struct mp_merge_stream *q = &m->streams[i];

		q->counted = places[i].taken;
		if (is_handled_again(mp_queue_numbered(m->queue, i)->type)) {
			q->repeated = places[i];
			q->again = places[i].records;
		} else {
			q->from = places[i];
		}
	}
}
