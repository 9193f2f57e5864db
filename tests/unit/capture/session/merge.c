// SPDX-License-Identifier: GPL-2.0-only
/* The merge of streams, and its continuation by another process from any of its places. */
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
static size_t n_handled, n_noted;

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
		mp_merge_handled(&merge, stream);
		if (++n_handled != stop)
			continue;
		mp_merge_places(&merge, places);
		mp_queue_give_back(merge.queue);
	}
}

/* Fills the streams with records whose times are nearly in order. */
static void fill(struct mp_queue *q, const struct mp_queue_stream *const *streams)
{
	size_t s, i;

	for (i = 0; i < RECORDS; i++) {
		for (s = 0; s < STREAMS; s++) {
			static struct mp_chunk *chunk[STREAMS];
			struct record r = {
				.header = { .type = 99, .size = sizeof(r) },
				.name = s * RECORDS + i,
				.time_ns = 1000 + 10 * i + (size_t)random() % 25,
			};

			if (!chunk[s])
				chunk[s] = mp_queue_chunk(q, streams[s], A_CHUNK * sizeof(r));
			memcpy(chunk[s]->data + chunk[s]->len, &r, sizeof(r));
			chunk[s]->len += sizeof(r);
			if ((i + 1) % A_CHUNK && i + 1 < RECORDS)
				continue;
			mp_queue_push(q, chunk[s]);
			chunk[s] = NULL;
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
	n_handled = n_noted = 0;
	while ((item = mp_queue_pop(merge.queue, 0)) && item->stream)
		mp_merge_add(&merge, item);
	mp_merge_until(&merge, UINT64_MAX);
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

/* Copies the names of what makes output, without those of tasks. */
static size_t output(uint64_t *to, size_t from, size_t n)
{
	size_t i, len = 0;

	for (i = from; i < n; i++)
		if (!is_task(names[i]))
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

/* Whether a process that dies after `at` records, and another one, handle each record once. */
static bool continues(size_t at)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = mp_queue_new(1 << 20, 1 << 20);
	uint64_t all[ALL], rest[ALL];
	size_t i, n_all, n_first, n_tasks;

	for (i = 0; i < STREAMS; i++)
		streams[i] = mp_queue_add(q, types[i], "test", (uint32_t)i);
	srandom(1);
	fill(q, streams);
	stop = at;
	run(q, NULL); /* it does not know that it dies: what follows is lost with it */
	n_all = output(all, 0, n_handled);
	n_first = output(rest, 0, at);
	n_tasks = new_tasks(at);
	stop = 0;
	mp_queue_restart(q);
	run(q, places);
	mp_queue_free(q);
	return in_order() && n_tasks + new_tasks(n_handled) == RECORDS &&
	       n_first + output(rest, 0, n_handled) == n_all &&
	       memcmp(rest, all + n_first, (n_all - n_first) * sizeof(*all)) == 0;
}

int main(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = mp_queue_new(1 << 20, 1 << 20);
	size_t i, wrong = 0;

	mp_init("unit-merge");
	for (i = 0; i < STREAMS; i++)
		streams[i] = mp_queue_add(q, types[i], "test", (uint32_t)i);
	fill(q, streams);
	run(q, NULL);
	ok(n_handled == ALL && in_order(), "%d records of %d streams in order of time", ALL,
	   STREAMS);
	ok(n_noted == 2 * RECORDS, "all but events are noted before their turn");
	mp_queue_free(q);
	for (i = 1; i <= ALL; i++)
		wrong += !continues(i);
	ok(!wrong, "after a death at any of %d records, another process handles the rest", ALL);
	return tap_done();
}
