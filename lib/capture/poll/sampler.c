// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/poll/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lib/capture/host/thread.h"
#include "lib/capture/poll/memstat.h"
#include "lib/capture/poll/stat.h"
#include "lib/core/clock.h"

/* A thread that reads one kind of memory, or all counters with the same interval. */
struct sampler {
	struct mp_samplers *all;
	pthread_t thread;
	char *name; /* the types of its events, for messages */
	uint64_t interval_ns;
	struct mp_memstat *memory; /* one of `memory` and the next member is set */
	struct mp_stat *stat;
	struct mp_buf records; /* records of the current sample */
	uint64_t last_ns;      /* time of the previous sample */
	uint64_t bound_ns;     /* atomic; see mp_samplers_bound() */
	/* only the thread uses the following members until it has ended */
	uint64_t samples, missed;
	uint64_t cpu_ns, longest_ns; /* CPU time of all samples, and of the longest one */
};

struct mp_samplers {
	struct mp_queue *queue;
	const struct mp_queue_stream *stream;
	struct sampler *v;
	size_t n, cap;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool go, stopped; /* protected by the lock */
	bool stop;	  /* atomic copy of `stopped` */
	bool joined;
};

/* --- a sample --------------------------------------------------------------------------------- */

/* Puts the records into a chunk, without times yet; NULL if the queue is full. */
static struct mp_chunk *fill_chunk(const struct sampler *s, bool must)
{
	struct mp_chunk *c = (must ? mp_queue_chunk_always
				   : mp_queue_chunk)(s->all->queue, s->all->stream, s->records.len);

	if (!c)
		return NULL;
	memcpy(c->data, s->records.p, s->records.len);
	c->len = s->records.len;
	return c;
}

/*
 * Sets the bound first, and then reads the time of the sample. If another thread sees no bound, it
 * has chosen the time up to which it writes before this sample began, so it misses no record. The
 * bound ends when the records are pushed.
 */
static void stamp_and_push(struct sampler *s, struct mp_chunk *c, uint64_t since_ns)
{
	struct mp_sampled *r = (struct mp_sampled *)c->data;
	size_t n = c->len / sizeof(*r), i;
	uint64_t now_ns;

	__atomic_store_n(&s->bound_ns, mp_monotonic_ns(), __ATOMIC_SEQ_CST);
	now_ns = mp_monotonic_ns();
	for (i = 0; i < n; i++) {
		r[i].time_ns = now_ns;
		r[i].dur_ns = now_ns - since_ns;
	}
	mp_queue_push(s->all->queue, c);
	__atomic_store_n(&s->bound_ns, UINT64_MAX, __ATOMIC_SEQ_CST);
	s->last_ns = now_ns;
}

/* Returns false if the sample was dropped, because the recording ends or the queue is full. */
static bool read_and_push(struct sampler *s, bool last)
{
	uint64_t began_ns = mp_monotonic_ns();
	struct mp_chunk *c;

	s->records.len = 0;
	if (s->stat)
		mp_stat_read(s->stat, &s->records);
	else if (!mp_memstat_read(s->memory, &s->all->stop, &s->records))
		return false;
	if (!s->records.len)
		return true;
	c = fill_chunk(s, last);
	if (!c) {
		/* counts are not missed, since the next sample includes them */
		s->missed += s->memory != NULL;
		return false;
	}
	stamp_and_push(s, c, s->stat ? s->last_ns : began_ns);
	if (s->stat)
		mp_stat_taken(s->stat);
	return true;
}

static void sample(struct sampler *s, bool last)
{
	uint64_t began_ns = mp_clock_thread_ns(), cost_ns;

	if (!read_and_push(s, last))
		return;
	cost_ns = mp_clock_thread_ns() - began_ns;
	s->samples++;
	s->cpu_ns += cost_ns;
	s->longest_ns = MP_MAX(s->longest_ns, cost_ns);
}

/* --- the threads ------------------------------------------------------------------------------ */

/* Waits until the threads may begin, or until a time. Returns false if the thread has to end. */
static bool wait_until(struct mp_samplers *all, const uint64_t *time_ns)
{
	struct timespec until = { 0, 0 };
	int result = 0;
	bool on;

	if (time_ns) {
		until.tv_sec = *time_ns / MP_NS_PER_SEC;
		until.tv_nsec = *time_ns % MP_NS_PER_SEC;
	}
	pthread_mutex_lock(&all->lock);
	while (!all->stopped && result != ETIMEDOUT && (time_ns || !all->go))
		result = time_ns ? pthread_cond_timedwait(&all->changed, &all->lock, &until)
				 : pthread_cond_wait(&all->changed, &all->lock);
	on = !all->stopped;
	pthread_mutex_unlock(&all->lock);
	return on;
}

/*
 * The next time of the schedule that is not in the past. A sample of memory whose time has passed
 * is missed; a sample of counters then covers a longer interval.
 */
static uint64_t next_time(struct sampler *s, uint64_t next_ns)
{
	uint64_t now_ns = mp_monotonic_ns(), over;

	next_ns += s->interval_ns;
	if (next_ns > now_ns)
		return next_ns;
	over = (now_ns - next_ns) / s->interval_ns + 1;
	s->missed += s->memory ? over : 0;
	return next_ns + over * s->interval_ns;
}

static void *run(void *arg)
{
	struct sampler *s = arg;
	uint64_t next_ns;
	bool on = wait_until(s->all, NULL);

	next_ns = s->memory ? mp_monotonic_ns() : s->last_ns + s->interval_ns;
	while (on && (on = wait_until(s->all, &next_ns))) {
		sample(s, false);
		next_ns = next_time(s, next_ns);
	}
	if (s->stat)
		sample(s, true); /* push the counts of the last, shorter interval */
	return NULL;
}

void mp_samplers_enable(struct mp_samplers *s)
{
	size_t i;

	for (i = 0; s && i < s->n; i++) {
		s->v[i].last_ns = mp_monotonic_ns();
		if (s->v[i].stat)
			mp_stat_enable(s->v[i].stat);
	}
}

static void change(struct mp_samplers *s, bool *what)
{
	pthread_mutex_lock(&s->lock);
	*what = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void mp_samplers_go(struct mp_samplers *s)
{
	if (s)
		change(s, &s->go);
}

void mp_samplers_stop(struct mp_samplers *s)
{
	size_t i;

	if (!s || s->joined)
		return;
	__atomic_store_n(&s->stop, true, __ATOMIC_RELAXED);
	change(s, &s->stopped);
	for (i = 0; i < s->n; i++)
		pthread_join(s->v[i].thread, NULL);
	s->joined = true;
}

uint64_t mp_samplers_bound(const struct mp_samplers *s)
{
	uint64_t bound = UINT64_MAX, one;
	size_t i;

	for (i = 0; s && i < s->n; i++) {
		one = __atomic_load_n(&s->v[i].bound_ns, __ATOMIC_SEQ_CST);
		bound = MP_MIN(bound, one);
	}
	return bound;
}

/* --- beginning and end ------------------------------------------------------------------------ */

/* The sampler for an event, which this creates if necessary; NULL with `*error`. */
static struct sampler *sampler_for(struct mp_samplers *s, const struct mp_events *events,
				   uint32_t event, const struct mp_sample_of *of, char **error)
{
	const struct mp_event *e = &events->v[event];
	struct sampler new = { .interval_ns = e->interval_ns, .bound_ns = UINT64_MAX };
	size_t i;

	for (i = 0; mp_event_is_counted(e) && i < s->n; i++)
		if (s->v[i].stat && s->v[i].interval_ns == e->interval_ns)
			return &s->v[i];
	if (mp_event_is_counted(e))
		new.stat = mp_stat_open(events, e->interval_ns, of, error);
	else
		new.memory = mp_memstat_new(e, event, of);
	if (!new.stat && !new.memory)
		return NULL;
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n] = new;
	return &s->v[s->n++];
}

static void add_name(struct sampler *s, const char *type)
{
	char *name = mp_asprintf("%s%s%s", s->name ? s->name : "", s->name ? "," : "", type);

	free(s->name);
	s->name = name;
}

struct mp_samplers *mp_samplers_start(const struct mp_events *events, const struct mp_sample_of *of,
				      struct mp_queue *queue, struct mp_pids *tids, char **error)
{
	struct mp_samplers *s = mp_zalloc(sizeof(*s));
	pthread_condattr_t monotonic;
	struct sampler *one;
	uint32_t i;
	int tid;

	*error = NULL;
	s->queue = queue;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (i = 0; i < events->n && !*error; i++) {
		if (!mp_event_is_read(&events->v[i]))
			continue;
		one = sampler_for(s, events, i, of, error);
		if (one)
			add_name(one, events->v[i].type);
	}
	if (*error || !s->n) {
		s->joined = true;
		mp_samplers_free(s);
		return NULL;
	}
	s->stream = mp_queue_add(queue, MP_QUEUE_READINGS, "samplers", 0);
	for (i = 0; i < s->n; i++) {
		s->v[i].all = s;
		mp_thread_start(&s->v[i].thread, run, &s->v[i], 0, &tid);
		mp_pids_add(tids, tid);
	}
	return s;
}

void mp_samplers_free(struct mp_samplers *s)
{
	size_t i;

	if (!s)
		return;
	mp_samplers_stop(s);
	for (i = 0; i < s->n; i++) {
		mp_memstat_free(s->v[i].memory);
		mp_stat_free(s->v[i].stat);
		mp_buf_release(&s->v[i].records);
		free(s->v[i].name);
	}
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	free(s->v);
	free(s);
}

void mp_samplers_json(const struct mp_samplers *s, json_t *trailer)
{
	json_t *all;
	size_t i;

	if (!s)
		return;
	all = json_object();
	for (i = 0; i < s->n; i++)
		json_object_set_new(all, s->v[i].name,
				    json_pack("{s:I, s:I, s:I, s:I}", "samples",
					      (json_int_t)s->v[i].samples, "missed",
					      (json_int_t)s->v[i].missed, "cpu_ns",
					      (json_int_t)s->v[i].cpu_ns, "longest_ns",
					      (json_int_t)s->v[i].longest_ns));
	json_object_set_new(trailer, "samplers", all);
}

void mp_samplers_report(const struct mp_samplers *s, bool verbose)
{
	size_t i, refused;

	for (i = 0; s && i < s->n; i++) {
		const struct sampler *one = &s->v[i];

		refused = one->memory ? mp_memstat_refused(one->memory) : 0;
		if (refused)
			mp_say("%s: %zu of the processes could not be read (permission denied)",
			       one->name, refused);
		if (one->missed)
			mp_say("%s: skipped %llu samples, because the preceding one or the output "
			       "took "
			       "too long",
			       one->name, (unsigned long long)one->missed);
		if (verbose)
			mp_say("%s: %llu samples, %.3f ms of CPU time each, %.3f ms at most",
			       one->name, (unsigned long long)one->samples,
			       one->samples ? one->cpu_ns / 1e6 / one->samples : 0.0,
			       one->longest_ns / 1e6);
	}
}
