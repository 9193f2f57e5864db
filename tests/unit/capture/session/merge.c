// SPDX-License-Identifier: GPL-2.0-only
/*
 * The merge of streams, and its continuation by another process from any of its places, also where
 * records come after marks that promised none of their time.
 */
#include "lib/capture/session/merge.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture/ring/queue.h"
#include "tests/unit/tap.h"

enum { STREAMS = 4, RECORDS = 60, A_CHUNK = 7, ALL = STREAMS * RECORDS };

/* A record of a type that is neither a sample nor one of those that must be complete. */
struct record {
	struct perf_event_header header;
	uint64_t name; /* unique */
	uint64_t time_ns, id;
};

static const enum mp_queue_type types[STREAMS] = { MP_QUEUE_EVENTS, MP_QUEUE_EVENTS,
						   MP_QUEUE_READINGS, MP_QUEUE_TASKS };

static struct mp_merge merge;
static uint64_t names[ALL], times[ALL]; /* of the records that were handled */
static bool repeated[ALL];		/* another process had handled them */
static size_t n_handled, n_noted, n_late;

static bool late;	    /* there are marks that do not hold */
static uint64_t skipped_ns; /* marks of rounds that began earlier only close the order */

/* What a process that dies after `stop` records leaves. */
static size_t stop;
static struct mp_queue_place places[STREAMS];

static void note(void *arg, enum mp_queue_type type, const struct mp_queue_record *x)
{
	(void)arg, (void)type, (void)x;
	n_noted++;
}

static void handle(void *arg, const struct mp_queue_stream *stream,
		   const struct mp_queue_record *records, size_t n)
{
	size_t i;

	(void)arg;
	for (i = 0; i < n; i++) {
		names[n_handled] = ((const struct record *)records[i].record)->name;
		times[n_handled] = records[i].time_ns;
		repeated[n_handled] = merge.repeats;
		n_late += mp_merge_is_late(&records[i]);
		mp_merge_handled(&merge, stream);
		if (++n_handled != stop)
			continue;
		mp_merge_places(&merge, places);
		mp_queue_give_back(merge.queue);
	}
}

/* Pushes marks, often more than one in a place; each promises what is true of most records. */
static void put_marks(struct mp_queue *q, size_t i)
{
	size_t n;

	for (n = (size_t)random() % 3; late && n > 0; n--)
		mp_queue_mark(q, i, STREAMS * (1000 + 10 * i - 5 * n));
}

/* Fills the streams with records whose times differ, and are nearly in order. */
static void fill(struct mp_queue *q, const struct mp_queue_stream *const *streams)
{
	size_t s, i;

	for (i = 0; i < RECORDS; i++) {
		for (s = 0; s < STREAMS; s++) {
			static struct mp_chunk *chunk[STREAMS];
			struct record r = {
				.header = { .type = 99, .size = sizeof(r) },
				.name = s * RECORDS + i,
				.time_ns = STREAMS * (1000 + 10 * i + (size_t)random() % 25) + s,
			};

			if (!chunk[s])
				chunk[s] = mp_queue_chunk(q, streams[s], A_CHUNK * sizeof(r));
			memcpy(chunk[s]->data + chunk[s]->len, &r, sizeof(r));
			chunk[s]->len += sizeof(r);
			if ((i + 1) % A_CHUNK && i + 1 < RECORDS)
				continue;
			mp_queue_push(q, chunk[s]);
			chunk[s] = NULL;
			put_marks(q, i);
		}
	}
	mp_queue_mark(q, UINT64_MAX, UINT64_MAX);
}

/* Handles everything that is in the queue, from `from`, or from the beginning (NULL). */
static void run(struct mp_queue *q, const struct mp_queue_place *from)
{
	struct mp_queue_fds fds = mp_queue_fds(q);
	struct mp_queue_item *item;
	size_t i;

	merge = (struct mp_merge){ .queue = mp_queue_attach(&fds), .note = note };
	for (i = 0; i < MP_QUEUE_TYPES; i++)
		mp_queue_set_handler(merge.queue, (enum mp_queue_type)i, handle, NULL);
	mp_merge_init(&merge);
	if (from)
		mp_merge_from(&merge, from);
	n_handled = n_noted = n_late = 0;
	while ((item = mp_queue_pop(merge.queue, 0))) {
		if (item->stream) {
			mp_merge_add(&merge, item);
			continue;
		}
		if (item->began_ns >= skipped_ns)
			mp_merge_until(&merge, item->settled_ns);
		else
			mp_merge_close(&merge, item->settled_ns);
		mp_queue_done(merge.queue, item);
	}
	mp_merge_release(&merge);
	mp_queue_detach(merge.queue);
}

static bool in_order(void)
{
	size_t i;

	for (i = 1; i < n_handled && times[i - 1] <= times[i]; i++)
		;
	return i >= n_handled;
}

static bool is_task(uint64_t name)
{
	return types[name / RECORDS] == MP_QUEUE_TASKS;
}

/* Copies the names of what makes output, without those of tasks; `stream` STREAMS: of all. */
static size_t output(uint64_t *to, size_t n, size_t stream)
{
	size_t i, len = 0;

	for (i = 0; i < n; i++)
		if (!is_task(names[i]) && (stream == STREAMS || names[i] / RECORDS == stream))
			to[len++] = names[i];
	return len;
}

/* Counts the first `n` records of tasks that are handled for the first time. */
static size_t new_tasks(size_t n)
{
	size_t i, tasks = 0;

	for (i = 0; i < n; i++)
		tasks += is_task(names[i]) && !repeated[i];
	return tasks;
}

static struct mp_queue *new_queue(const struct mp_queue_stream **streams)
{
	struct mp_queue *q = mp_queue_new(1 << 20, 1 << 20);
	size_t i;

	for (i = 0; i < STREAMS; i++)
		streams[i] = mp_queue_add(q, types[i], "test", (uint32_t)i);
	srandom(1);
	fill(q, streams);
	return q;
}

/*
 * Whether processes that die after `at` records each, and the last one, handle each record of all
 * streams once, and in the same order as one that lives. If marks are skipped, this is the order of
 * each stream.
 */
static bool continues(size_t at, size_t deaths)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	uint64_t all[STREAMS + 1][ALL], parts[STREAMS + 1][ALL];
	size_t n_all[STREAMS + 1], n_parts[STREAMS + 1] = { 0 }, tasks = 0, some = 0, i, n;
	bool same = true, ended = false;

	stop = 0;
	skipped_ns = 0;
	run(q, NULL);
	for (i = 0; i <= STREAMS; i++)
		n_all[i] = output(all[i], n_handled, i);
	mp_queue_free(q);
	q = new_queue(streams);
	for (n = 0; !ended; n++) {
		/* it does not know that it dies: what follows is lost with it */
		stop = n < deaths ? at : 0;
		skipped_ns = n && late ? (31 * at + 7 * n) % RECORDS : 0;
		some += skipped_ns;
		run(q, n ? places : NULL);
		ended = !stop ||
			n_handled < stop; /* it lives, or would die after its last record */
		for (i = 0; i <= STREAMS; i++)
			n_parts[i] += output(parts[i] + n_parts[i], ended ? n_handled : at, i);
		tasks += new_tasks(ended ? n_handled : at);
		mp_queue_restart(q);
	}
	mp_queue_free(q);
	for (i = some ? 0 : STREAMS; i <= (some ? STREAMS - 1 : STREAMS); i++)
		same = same && n_all[i] == n_parts[i] &&
		       memcmp(all[i], parts[i], n_all[i] * sizeof(**all)) == 0;
	return same && tasks == RECORDS;
}

/*
 * Whether a chunk of stacks is in the queue for another process until the records have passed that
 * may need them.
 */
static bool keeps_stacks(void)
{
	struct mp_queue *q = mp_queue_new(1 << 20, 1 << 20);
	const struct mp_queue_stream *stream = mp_queue_add(q, MP_QUEUE_STACKS, "test", 0);
	struct mp_queue_fds fds = mp_queue_fds(q);
	struct record r = { .header = { .type = 99, .size = sizeof(r) }, .time_ns = 1000 };
	struct mp_chunk *chunk = mp_queue_chunk(q, stream, sizeof(r));
	struct mp_queue_place before, after;

	memcpy(chunk->data, &r, sizeof(r));
	chunk->len = sizeof(r);
	mp_queue_push(q, chunk);
	merge = (struct mp_merge){ .queue = mp_queue_attach(&fds), .note = note };
	mp_queue_set_handler(merge.queue, MP_QUEUE_STACKS, handle, NULL);
	mp_merge_init(&merge);
	n_handled = 0;
	mp_merge_add(&merge, mp_queue_pop(merge.queue, 0));
	mp_merge_until(&merge, 2000);
	mp_merge_places(&merge, &before);
	mp_merge_until(&merge, 1000000000);
	mp_merge_places(&merge, &after);
	mp_merge_release(&merge);
	mp_queue_detach(merge.queue);
	mp_queue_free(q);
	return n_handled == 1 && before.chunk == 0 && before.records == 1 && after.chunk == 1 &&
	       after.records == 0;
}

int main(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	size_t i, wrong = 0;
	struct mp_queue *q;

	mp_init("unit-merge");
	q = new_queue(streams);
	run(q, NULL);
	ok(n_handled == ALL && in_order() && !n_late, "%d records of %d streams in order of time",
	   ALL, STREAMS);
	ok(n_noted == 2 * RECORDS, "all but events are noted before their turn");
	mp_queue_free(q);
	for (i = 1; i <= ALL; i++)
		wrong += !continues(i, 1);
	ok(!wrong, "after a death at any of %d records, another process handles the rest", ALL);
	late = true;
	q = new_queue(streams);
	run(q, NULL);
	ok(n_handled == ALL && n_late > ALL / 20 && n_late < ALL / 2, "%zu of %d records are late",
	   n_late, ALL);
	mp_queue_free(q);
	for (i = 1; i <= ALL; i++)
		wrong += !continues(i, 1);
	ok(!wrong, "the same with late records");
	for (i = 1; i <= ALL; i++)
		wrong += !continues(i, ALL / i);
	ok(!wrong, "the same if each process dies after as many records");
	ok(keeps_stacks(), "stacks come again while samples may need them");
	return tap_done();
}
