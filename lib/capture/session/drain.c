// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/drain.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/bell.h"
#include "lib/capture/host/budget.h"
#include "lib/capture/host/record.h"
#include "lib/capture/host/thread.h"
#include "lib/core/clock.h"

enum {
	/* time for the last events to be published after all are disabled */
	LAST_WAIT_MS = 100,
	DUMP_CHUNK = 256 << 10, /* more than the limit of a record, 64 KiB */
	PEEKED_RECORDS = 8,
	STACKS_A_ROUND = 4 << 20,
	STACKS_CHUNK = 64 << 10,
	STOP_CHUNK = 4096,
	FULL_WAIT_MS = 10,
	STACKS_APART_NS = 1000000, /* limit of the disorder of events */
	FDS_BEFORE_RINGS = 3,
};

/* The parts of a sample after the copy of a stack; each has 8 bytes. */
#define AFTER_STACK (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_CGROUP)

struct mp_drain {
	struct mp_drain_setup s;
	pthread_t thread;
	int go_fd; /* a bell */
	bool stop_told;
	uint64_t settled_ns; /* atomic; see mp_drain_settled() */
	struct mp_queue_filler stacks;
	bool dumps;	      /* some events have copies of stacks */
	size_t stack_bytes;   /* bytes of BPF stacks that were read in this round */
	uint64_t stacks_time; /* time up to which BPF stacks were read */
	uint64_t last_ns;     /* BPF stacks after this time are of no event */
	bool stacks_over;     /* such a stack was read: those that follow it are not needed */
};

/*
 * A lower bound of the times of the records that remain in a ring. It looks at several records,
 * because an event that was interrupted while it was recorded follows, in the ring, the event that
 * interrupted it, although its time is earlier.
 */
static uint64_t first_time(const struct mp_ring *r)
{
	char head[64] __attribute__((aligned(8))), tail[16] __attribute__((aligned(8)));
	struct perf_event_header *h = (struct perf_event_header *)head;
	uint64_t at, low = UINT64_MAX, time;
	size_t left = mp_ring_pending(r, &at), i;

	for (i = 0; i < PEEKED_RECORDS && left; i++) {
		mp_ring_copy(r, at, MP_MIN(left, sizeof(head)), head);
		if (h->size < sizeof(*h) || h->size > left)
			break;
		if (h->type == PERF_RECORD_SAMPLE || h->size <= sizeof(head)) {
			time = mp_record_time(h);
		} else {
			mp_ring_copy(r, at + h->size - sizeof(tail), sizeof(tail), tail);
			memcpy(&time, tail, sizeof(time));
		}
		low = MP_MIN(low, time);
		at += h->size;
		left -= h->size;
	}
	return low;
}

static uint64_t u64_at(const struct mp_ring *r, uint64_t at)
{
	uint64_t v;

	mp_ring_copy(r, at, sizeof(v), &v);
	return v;
}

/*
 * Finds the size that the kernel reserved for the copy of a stack (0: no copy), and the size of the
 * parts after it.
 */
static size_t dump_size(const struct mp_drain *d, const struct perf_event_header *h, uint64_t id,
			size_t *after)
{
	const struct mp_counter *c;
	const struct perf_event_attr *attr;

	if (h->type != PERF_RECORD_SAMPLE)
		return 0;
	c = mp_rings_find(d->s.rings, id);
	if (!c)
		return 0;
	attr = &d->s.events->v[c->event].attr;
	*after = sizeof(uint64_t) * (1 + __builtin_popcountll(attr->sample_type & AFTER_STACK));
	return attr->sample_type & PERF_SAMPLE_STACK_USER ? attr->sample_stack_user : 0;
}

/*
 * Copies a record without the unused part of the copy of a stack: 60 KiB are reserved, but only a
 * few are filled. Some unused bytes remain, to show that the copy was not full. Returns its length.
 */
static size_t copy_record(const struct mp_drain *d, const struct mp_ring *r, uint64_t at,
			  const struct perf_event_header *h, char *to)
{
	size_t after, size = dump_size(d, h, u64_at(r, at + sizeof(*h)), &after), front;
	struct perf_event_header *copy = (struct perf_event_header *)to;
	uint64_t kept;

	if (!size || h->size < sizeof(*h) + sizeof(kept) + size + after)
		goto copy_all;
	front = h->size - after - size - sizeof(kept);
	if (u64_at(r, at + front) != size)
		goto copy_all; /* the kernel reserves less if the record would be too large */
	kept = (u64_at(r, at + h->size - after) + 15) & ~(uint64_t)7;
	if (kept >= size)
		goto copy_all;
	mp_ring_copy(r, at, front, to);
	memcpy(to + front, &kept, sizeof(kept));
	front += sizeof(kept);
	mp_ring_copy(r, at + front, kept, to + front);
	mp_ring_copy(r, at + h->size - after, after, to + front + kept);
	copy->size = front + kept + after;
	return copy->size;
copy_all:
	mp_ring_copy(r, at, h->size, to);
	return h->size;
}

/* As drain_ring(), but record by record, to shorten copies of stacks. */
static bool drain_dumps(struct mp_drain *d, uint32_t ring)
{
	const struct mp_ring *r = &d->s.rings->v[ring];
	struct mp_chunk *c = NULL;
	struct perf_event_header h;
	uint64_t at;
	size_t left = mp_ring_pending(r, &at);

	while (left) {
		mp_ring_copy(r, at, sizeof(h), &h);
		/* a damaged record (none was ever seen): skip the rest */
		if (h.size < sizeof(h) || h.size > left) {
			at += left;
			break;
		}
		if (c && c->cap - c->len < h.size) {
			mp_queue_push(d->s.queue, c);
			mp_ring_consume(r, at);
			c = NULL;
		}
		if (!c) {
			c = mp_queue_chunk(d->s.queue, r->stream, DUMP_CHUNK);
			if (!c)
				return false;
		}
		c->len += copy_record(d, r, at, &h, c->data + c->len);
		at += h.size;
		left -= h.size;
	}
	if (c)
		mp_queue_push(d->s.queue, c);
	mp_ring_consume(r, at);
	return true;
}

/* Drains everything that is in a ring now; false if some records had to stay. */
static bool drain_ring(struct mp_drain *d, uint32_t ring)
{
	const struct mp_ring *r = &d->s.rings->v[ring];
	struct mp_chunk *c;
	uint64_t tail;
	size_t len;

	if (!r->base)
		return true;
	if (d->dumps)
		return drain_dumps(d, ring);
	len = mp_ring_pending(r, &tail);
	if (len == 0)
		return true;
	c = mp_queue_chunk(d->s.queue, r->stream, len);
	if (!c)
		return false;
	mp_ring_copy(r, tail, len, c->data);
	mp_ring_consume(r, tail + len);
	c->len = len;
	mp_queue_push(d->s.queue, c);
	return true;
}

static bool put_stack(void *arg, const struct mp_bpf_head *record)
{
	struct mp_drain *d = arg;

	if (record->time_ns > d->last_ns) {
		d->stacks_over = true;
		return false;
	}
	mp_queue_put(&d->stacks, (const struct perf_event_header *)record);
	d->stacks_time = record->time_ns - MP_BPF_EARLIER_NS - STACKS_APART_NS;
	d->stack_bytes += record->size;
	return d->stack_bytes < STACKS_A_ROUND;
}

/*
 * Drains the stacks that BPF programs took. False if some had to stay; then samples after
 * `stacks_time` must stay as well. All stacks before that time were read, so the writer can handle
 * records, and make room, without the remaining ones.
 */
static bool drain_stacks(struct mp_drain *d)
{
	bool all = false;

	if (!d->s.bpf_stacks || d->stacks_over)
		return true;
	d->stack_bytes = 0;
	if (!mp_queue_is_full(d->s.queue, MP_QUEUE_STACKS))
		all = mp_bpf_stacks_read(d->s.bpf_stacks, put_stack, d);
	mp_queue_flush(&d->stacks);
	return all || d->stacks_over;
}

/* Whether records may have been lost because they did not fit. */
static bool is_full(const struct mp_ring *r)
{
	uint64_t tail;

	return r->base && mp_ring_pending(r, &tail) + UINT16_MAX > r->size;
}

/*
 * Sends the writer the time at which the events were disabled. It precedes each mark with a later
 * time, since the time of a mark is taken before this is called.
 */
static void tell_stop(struct mp_drain *d)
{
	uint64_t stop_ns = mp_control_stop_ns(d->s.control);
	struct mp_queue_filler stop = { d->s.queue, d->s.stop, STOP_CHUNK, NULL };
	char record[64] __attribute__((aligned(8)));

	if (d->stop_told || stop_ns == UINT64_MAX)
		return;
	mp_cut_record_put(record, MP_CUT_STOP, NULL, 0, stop_ns);
	mp_queue_put(&stop, (const struct perf_event_header *)record);
	mp_queue_flush(&stop);
	d->stop_told = true;
}

/*
 * Drains all rings once, and pushes a mark with the time up to which everything was pushed. False
 * if some records had to stay.
 */
static bool drain_all(struct mp_drain *d)
{
	/* the time of the mark is taken before the rings are read */
	uint64_t settled = mp_grace_time(d->s.grace);
	uint64_t began = mp_monotonic_ns(), bound;
	bool complete = true;
	uint32_t i;

	for (i = 0; i < d->s.rings->n; i++) {
		bool was_full = d->s.counting && is_full(&d->s.rings->v[i]);
		bool drained = drain_ring(d, i);

		if (d->s.counting)
			mp_counting_check(d->s.counting, i, was_full);
		if (drained)
			continue;
		complete = false;
		settled = MP_MIN(settled, first_time(&d->s.rings->v[i]));
	}
	bound = mp_track_drain(d->s.track, NULL, NULL);
	if (bound != UINT64_MAX) {
		complete = false;
		settled = MP_MIN(settled, bound);
	}
	if (!drain_stacks(d)) {
		complete = false;
		settled = MP_MIN(settled, d->stacks_time);
	}
	bound = cap_sources_bound(
		d->s.sources); /* last, so that the records of the sources precede the mark */
	tell_stop(d);
	settled = MP_MIN(settled, bound);
	mp_queue_mark(d->s.queue, began, settled);
	__atomic_store_n(&d->settled_ns, settled, __ATOMIC_RELEASE);
	return complete;
}

/* Reports to the writer how many copies of stacks a user was refused. */
static void put_refused(void *arg, uint32_t uid, const struct mp_bpf_copier *copier)
{
	const struct mp_record_refused r = {
		.header = { .type = MP_TRACK_REFUSED, .size = sizeof(r) },
		.kind = MP_BUDGET_COPIES,
		.uid = uid,
		.pid = copier->pid,
		.n = copier->refused,
		.id = { .time_ns = mp_monotonic_ns() },
	};
	struct mp_drain *d = arg;

	mp_queue_put(&d->stacks, &r.header);
}

static void finish(struct mp_drain *d)
{
	uint64_t stopped = mp_monotonic_ns(), deadline = stopped + LAST_WAIT_MS * 1000000ull;
	struct pollfd news = { .fd = mp_grace_fd(d->s.grace), .events = POLLIN };

	mp_grace_expedite(d->s.grace);
	while (mp_grace_time(d->s.grace) < stopped && mp_monotonic_ns() < deadline) {
		poll(&news, 1, 10);
		mp_grace_expedite(d->s.grace);
	}
	/*
	 * The programs run until they are detached, on a busy machine as fast as this thread reads.
	 * Those that ran for an event have ended, and what others send has a later time.
	 */
	d->last_ns = mp_monotonic_ns();
	cap_sources_finish(d->s.sources);
	mp_track_stop(d->s.track); /* after the last mark only the writer may use the queue */
	while (!drain_all(d))
		mp_queue_wait_room(d->s.queue, FULL_WAIT_MS);
	if (d->s.bpf_stacks)
		mp_bpf_stacks_copiers(d->s.bpf_stacks, put_refused, d);
	mp_queue_flush(&d->stacks);
	mp_queue_mark(d->s.queue, mp_monotonic_ns(), UINT64_MAX);
}

/* Drains until all events are disabled. */
static void drain_rounds(struct mp_drain *d, struct pollfd *fds, size_t n)
{
	size_t i;

	for (;;) {
		if (poll(fds, n, -1) < 0 && errno != EINTR)
			mp_die("cannot wait for events: %m");
		if (fds[0].revents)
			break;
		for (i = FDS_BEFORE_RINGS; i < n; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd =
					/*
					 * the task of this ring has ended; the bell of the next
					 * grace period wakes this thread
					 */
					-1;
		if (!drain_all(d))
			mp_queue_wait_room(d->s.queue, FULL_WAIT_MS);
	}
}

static void *run(void *arg)
{
	struct mp_drain *d = arg;
	size_t n = FDS_BEFORE_RINGS, i;
	struct pollfd *fds;
	struct pollfd go = { .fd = d->go_fd, .events = POLLIN };

	while (poll(&go, 1, -1) < 0 && errno == EINTR)
		;
	fds = mp_alloc((n + d->s.rings->n) * sizeof(*fds));
	fds[0] = (struct pollfd){ .fd = mp_control_stopped_fd(d->s.control), .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = mp_grace_fd(d->s.grace), .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (d->s.bpf_stacks)
		fds[2].fd = mp_bpf_stacks_fd(d->s.bpf_stacks);
	for (i = 0; i < d->s.rings->n; i++)
		fds[n++] = (struct pollfd){ .fd = d->s.rings->v[i].fd, .events = POLLIN };
	drain_rounds(d, fds, n);
	free(fds);
	finish(d);
	return NULL;
}

struct mp_drain *mp_drain_start(const struct mp_drain_setup *setup, int *tid)
{
	struct mp_drain *d = mp_zalloc(sizeof(*d));
	size_t i;

	d->s = *setup;
	d->last_ns = UINT64_MAX;
	d->stacks = (struct mp_queue_filler){ setup->queue, setup->stacks, STACKS_CHUNK, NULL };
	for (i = 0; i < setup->events->n; i++)
		d->dumps |= !!(setup->events->v[i].attr.sample_type & PERF_SAMPLE_STACK_USER);
	d->go_fd = mp_bell_new();
	mp_thread_start(&d->thread, run, d, setup->realtime, tid);
	return d;
}

void mp_drain_go(struct mp_drain *d)
{
	mp_bell_ring(d->go_fd);
}

uint64_t mp_drain_settled(const struct mp_drain *d)
{
	return __atomic_load_n(&d->settled_ns, __ATOMIC_ACQUIRE);
}

void mp_drain_free(struct mp_drain *d)
{
	pthread_join(d->thread, NULL);
	close(d->go_fd);
	free(d);
}
