// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/track.h"

#include <errno.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/thread.h"
#include "lib/capture/ring/ring.h"
#include "lib/capture/ring/track_share.h"
#include "lib/core/clock.h"

enum {
	RING_PAGES = 256, /* pages of a ring: enough for a second with 2,000 forks and execs */
	RING_PAGES_MIN = 8,
	WAKE_BYTES = 128 << 10, /* a program that only maps a file fills a ring in some ms */
	PERIOD_MS = 20,		/* also how long mp_track_stop() may take */
	IDLE_NS = 50000,
	/* usually with few records: each round takes a chunk for each ring */
	CHUNK_BYTES = 16 << 10,
	RECORD_MAX = 8 << 10, /* limit of a record: the path of a mapping has 4 KiB */
	APART_NS = 1000000,   /* records of a ring may be out of order by this much */
};

struct mp_track {
	struct perf_evlist *evlist;
	struct perf_cpu_map *cpus;
	struct perf_thread_map *threads;
	struct perf_mmap **rings;
	size_t n_rings, cap_rings;
	struct mp_queue_filler *fillers; /* fillers of the streams, by ring */
	uint64_t *last_ns;		 /* by ring: time of the last record */
	pthread_mutex_t draining;
	struct mp_track_share share;
	bool started;
	bool stopping; /* atomic */
	pthread_t thread;
};

/* Suppresses libperf's messages, which say less than ours. */
static int quiet(enum libperf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

int mp_track_cpus_parse(const char *list, int **cpus, char **error)
{
	struct perf_cpu_map *online, *map;
	struct perf_cpu cpu;
	int n, i;

	libperf_init(quiet);
	online = perf_cpu_map__new(NULL);
	map = list ? perf_cpu_map__new(list) : perf_cpu_map__get(online);
	if (!map || perf_cpu_map__empty(map)) {
		*error = mp_asprintf("'%s' is not a list of CPUs such as 0,2-4", list ? list : "");
		perf_cpu_map__put(map);
		perf_cpu_map__put(online);
		return -1;
	}
	n = perf_cpu_map__nr(map);
	*cpus = mp_alloc(n * sizeof(**cpus));
	perf_cpu_map__for_each_cpu (cpu, i, map) {
		(*cpus)[i] = cpu.cpu;
		if (n > 0 && !perf_cpu_map__has(online, cpu)) {
			*error = mp_asprintf("CPU %d is not online", cpu.cpu);
			free(*cpus);
			n = -1;
			break;
		}
	}
	perf_cpu_map__put(map);
	perf_cpu_map__put(online);
	return n;
}

/* The event is on as soon as it is open, as tasks being created may miss a later step: attach.c. */
static struct perf_event_attr attr_for(const struct mp_target *target, bool whole, bool maps,
				       bool exclude_kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.inherit = !whole && target->inherit,
		.exclude_kernel = exclude_kernel,
		.exclude_hv = exclude_kernel,
		.mmap = maps,
		.mmap2 = maps,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = WAKE_BYTES,
	};
}

static struct perf_thread_map *thread_map(const struct mp_target *target, bool whole)
{
	struct perf_thread_map *map;
	size_t i;

	if (whole)
		return perf_thread_map__new_dummy();
	map = perf_thread_map__new_array((int)target->tids.n, NULL);
	for (i = 0; map && i < target->tids.n; i++)
		perf_thread_map__set_pid(map, (int)i, target->tids.v[i]);
	return map;
}

static int map_rings(struct mp_track *t)
{
	struct perf_mmap *map;
	int pages;

	for (pages = RING_PAGES; pages >= RING_PAGES_MIN; pages /= 2)
		if (perf_evlist__mmap(t->evlist, pages) == 0)
			break;
	if (pages < RING_PAGES_MIN)
		return -1;
	perf_evlist__for_each_mmap (t->evlist, map, false) {
		t->rings = mp_grow(t->rings, &t->cap_rings, t->n_rings + 1, sizeof(*t->rings));
		t->rings[t->n_rings++] = map;
	}
	return 0;
}

static struct mp_track *new_track(void)
{
	struct mp_track *t = mp_zalloc(sizeof(*t));

	mp_thread_mutex(&t->draining);
	mp_track_share_init(&t->share, "/etc/subuid");
	return t;
}

struct mp_track *mp_track_open(const struct mp_target *target, bool everything, bool maps,
			       bool exclude_kernel, char **error)
{
	bool whole = everything || target->tids.n == 0;
	struct perf_event_attr attr = attr_for(target, whole, maps, exclude_kernel);
	struct mp_track *t = new_track();
	struct perf_evsel *evsel;
	int result;

	libperf_init(quiet);
	t->evlist = perf_evlist__new();
	t->cpus = perf_cpu_map__new(NULL);	/* all CPUs, even with -C, since tasks migrate */
	t->threads = thread_map(target, whole); /* perf_evlist__set_maps() would crash with NULL */
	evsel = perf_evsel__new(&attr);
	if (!t->evlist || !t->cpus || !t->threads || !evsel)
		mp_die("out of memory");
	perf_evlist__add(t->evlist, evsel);
	perf_evlist__set_maps(t->evlist, t->cpus, t->threads);
	result = perf_evlist__open(t->evlist);
	if (result < 0) {
		if (result == -EACCES || result == -EPERM)
			*error = mp_perf_advice("tracking of tasks");
		else if (result == -ESRCH)
			*error = mp_strdup("the processes to record have exited");
		else
			*error = mp_asprintf("cannot track tasks: %s", strerror(-result));
	} else if (map_rings(t) < 0) {
		*error = mp_asprintf(
			"cannot map ring buffers: %s (raise kernel.perf_event_mlock_kb)",
			strerror(errno));
		result = -1;
	}
	if (result < 0) {
		mp_track_close(t);
		return NULL;
	}
	return t;
}

void mp_track_stop(struct mp_track *t)
{
	if (!t->started)
		return;
	__atomic_store_n(&t->stopping, true, __ATOMIC_RELAXED);
	pthread_join(t->thread, NULL);
	t->started = false;
}

void mp_track_close(struct mp_track *t)
{
	if (!t)
		return;
	mp_track_stop(t);
	mp_track_share_release(&t->share);
	pthread_mutex_destroy(&t->draining);
	perf_evlist__munmap(t->evlist);
	perf_evlist__close(t->evlist);
	/* otherwise the events of the list keep references to the maps */
	perf_evlist__set_maps(t->evlist, NULL, NULL);
	perf_evlist__delete(t->evlist);
	perf_cpu_map__put(t->cpus);
	perf_thread_map__put(t->threads);
	free(t->rings);
	free(t->fillers);
	free(t->last_ns);
	free(t);
}

void mp_track_add_streams(struct mp_track *t, struct mp_queue *q)
{
	uint32_t i;

	t->fillers = mp_zalloc(t->n_rings * sizeof(*t->fillers));
	t->last_ns = mp_zalloc(t->n_rings * sizeof(*t->last_ns));
	for (i = 0; i < t->n_rings; i++) {
		t->fillers[i] =
			(struct mp_queue_filler){ q, mp_queue_add(q, MP_QUEUE_TASKS, "tracking", i),
						  CHUNK_BYTES, NULL };
	}
}

/*
 * Moves the records of a ring to its stream. Returns false if some stay because the queue is full.
 */
static bool drain_ring(struct mp_track *t, size_t ring, mp_track_fn *each, void *arg)
{
	struct perf_mmap *map = t->rings[ring];
	struct mp_queue_filler *filler = &t->fillers[ring];
	union perf_event *event;
	bool room = true;

	if (perf_mmap__read_init(map) < 0)
		return true;
	while ((room = each || mp_queue_reserve(filler, RECORD_MAX)) &&
	       (event = perf_mmap__read_event(map))) {
		if (each)
			each(arg, &event->header);
		t->last_ns[ring] = mp_record_time(&event->header);
		if (mp_track_share_admits(&t->share, &event->header))
			mp_queue_put(filler, &event->header);
		perf_mmap__consume(map);
	}
	perf_mmap__read_done(map);
	mp_track_share_report(&t->share, filler);
	mp_queue_flush(filler);
	return room;
}

uint64_t mp_track_drain(struct mp_track *t, mp_track_fn *each, void *arg)
{
	uint64_t bound = UINT64_MAX;
	size_t i;

	pthread_mutex_lock(&t->draining);
	if (t->n_rings)
		mp_track_share_begin(&t->share, mp_monotonic_ns(),
				     mp_queue_bytes(t->fillers[0].queue, MP_QUEUE_TASKS));
	for (i = 0; i < t->n_rings; i++)
		if (!drain_ring(t, i, each, arg))
			bound = MP_MIN(bound, t->last_ns[i] - APART_NS);
	pthread_mutex_unlock(&t->draining);
	return bound;
}

/* Waits until a ring has many records, or for a while. */
static void wait_for_records(struct mp_track *t)
{
	uint64_t began = mp_monotonic_ns();

	perf_evlist__poll(t->evlist, PERIOD_MS);
	/* events of tasks that have ended are always ready */
	if (mp_monotonic_ns() - began < IDLE_NS)
		poll(NULL, 0, 1);
}

static void *run(void *arg)
{
	const struct sched_param param = { .sched_priority = 1 };
	struct mp_track *t = arg;

	sched_setscheduler(0, SCHED_FIFO, &param); /* if it is refused, the thread still helps */
	while (!__atomic_load_n(&t->stopping, __ATOMIC_RELAXED)) {
		wait_for_records(t);
		mp_track_drain(t, NULL, NULL);
	}
	return NULL;
}

void mp_track_start(struct mp_track *t, int *tid)
{
	mp_thread_start(&t->thread, run, t, 0, tid);
	t->started = true;
}
