// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any events of the scheduler: no time of a CPU or of a task is lost or counted twice, spans come
 * in order, and their lines are valid. The first byte says whether the rest is text, or numbers of
 * four CPUs and eight tasks, which reach many more states.
 */
#include <stdlib.h>

#include "lib/sched/schedout.h"
#include "lib/sched/schedtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPUS = MP_SCHED_CPU_MAX + 1 };

struct state {
	struct mp_sched sched;
	struct mp_sched_table table;
	uint64_t last_ns;
	uint64_t cpu_ns;
	struct mp_buf line;
};

/* The end of the latest span of each CPU; 0: the CPU was not seen in this capture. */
static uint64_t cpu_end[CPUS];

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A task's `user`: its row, which the table expects first, and the end of its latest span. */
struct seen {
	struct mp_sched_row *row;
	uint64_t end_ns;
};

static void check_task(struct state *st, const struct mp_sched_span *span)
{
	struct mp_sched_task *t = span->task;
	struct seen *seen = t->user;

	if (!seen)
		seen = mp_zalloc(sizeof(*seen));
	else
		must(seen->end_ns == span->from_ns);
	seen->end_ns = span->to_ns;
	t->user = seen->row;
	mp_sched_table_span(&st->table, span);
	seen->row = t->user;
	t->user = seen;
}

static void handle_span(void *arg, const struct mp_sched_span *span)
{
	struct state *st = arg;
	struct mp_rec rec;
	const char *why;

	must(span->from_ns <= span->to_ns && span->to_ns >= st->last_ns);
	must(span->from_ns >= st->sched.begin_ns && span->state < MP_SCHED_STATES);
	st->last_ns = span->to_ns;
	if (span->cpu >= 0) {
		uint64_t *end = &cpu_end[span->cpu];

		must(span->from_ns == (*end ? *end : st->sched.begin_ns));
		*end = span->to_ns;
		st->cpu_ns += span->to_ns - span->from_ns;
	}
	if (span->task)
		check_task(st, span);
	else
		mp_sched_table_span(&st->table, span);
	st->line.len = 0;
	mp_sched_span_add(&st->line, span, (struct mp_str){ NULL, 0 });
	must(mp_rec_parse(&rec, st->line.p, st->line.len - 1, &why) == 0 && rec.kind == MP_EVENT);
	must(mp_rec_check(&rec, &why) == 0);
}

static void handle_gone(void *arg, struct mp_sched_task *t)
{
	struct state *st = arg;
	struct seen *seen = t->user;

	if (!seen)
		return;
	t->user = seen->row;
	mp_sched_table_gone(&st->table, t, true);
	t->user = NULL;
	free(seen);
}

static void lose(struct state *st, uint64_t n, uint64_t time_ns, int cpu, bool wakeups)
{
	struct mp_ctl loss = {
		.lost = n,
		.time_ns = time_ns,
		.cpu = cpu,
		.type = wakeups ? "sched:sched_waking" : NULL,
	};

	mp_sched_lost(&st->sched, &loss, st->sched.now_ns);
}

static void end(struct state *st, uint64_t time_ns)
{
	uint64_t begin = st->sched.begin_ns, now;
	bool begun = st->sched.begun;
	size_t i, n;

	mp_sched_apply_losses(&st->sched, time_ns);
	n = st->sched.n_cpus;
	mp_sched_end(&st->sched, time_ns);
	now = st->sched.now_ns;
	st->last_ns = 0; /* the next capture may have another clock */
	must(st->sched.tasks.by_tid.n == 0 && !st->sched.tasks.first);
	for (i = 0; i < n; i++) {
		must(!begun || !cpu_end[i] || cpu_end[i] == now || begin == now);
		cpu_end[i] = 0;
	}
}

static void feed_text(struct state *st, const char *p, const char *stop)
{
	static struct mp_sched_reader reader;
	struct mp_sched_event e;
	enum mp_sched_what what;
	struct mp_rec rec;
	const char *lf, *why;

	for (; p < stop && (lf = memchr(p, '\n', stop - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0 || rec.kind != MP_EVENT)
			continue;
		what = mp_sched_what(rec.type);
		if (what == MP_SCHED_OTHER)
			continue;
		if (mp_sched_read(&reader, what, &rec, &e, &why) == 0)
			mp_sched_event(&st->sched, &e, &why);
	}
}

/* One event of eight bytes. */
static void feed_event(struct state *st, const uint8_t *d)
{
	static const struct mp_str states[] = { { "0", 1 },  { "1", 1 },  { "2", 1 },  { "4", 1 },
						{ "32", 2 }, { "64", 2 }, { "R+", 2 }, { "?", 1 } };
	static const struct mp_str names[] = { { "a", 1 }, { "b\\n", 3 }, { NULL, 0 }, { "", 0 } };
	uint64_t now = st->sched.now_ns + d[7] - (d[5] & 32 ? MP_MIN(st->sched.now_ns, 9) : 0);
	struct mp_sched_event e = {
		.what = d[0] % MP_SCHED_WHATS,
		.time_ns = now ? now : 1,
		.cpu = d[1] & 3,
		.tid = (d[1] >> 2 & 15) - 1,
		.pid = d[1] & 64 ? 7 : -1,
		.comm = names[d[6] & 3],
		.task = d[2] & 7,
		.task_comm = names[d[6] >> 2 & 3],
		.task_prio = d[3] & 1 ? 120 : MP_SCHED_NO_PRIO,
		.state = states[d[3] >> 1 & 7],
		.next = d[4] & 7,
		.next_comm = names[d[6] >> 4 & 3],
		.next_prio = MP_SCHED_NO_PRIO,
		.target_cpu = (d[5] & 7) - 1,
		.old = d[4] & 7,
		.stack = d[5] & 8 ? MP_STR("f;g") : (struct mp_str){ NULL, 0 },
	};
	const char *why;

	if (d[5] & 16 && e.what == MP_SCHED_SWITCH) /* most often they agree */
		e.tid = e.task;
	if (e.what != MP_SCHED_OTHER)
		mp_sched_event(&st->sched, &e, &why);
	else if (d[1] < 16)
		end(st, e.time_ns);
	else if (d[1] < 64)
		lose(st, 1 + d[2], e.time_ns + d[3], (d[1] & 7) - 1, d[2] & 1);
	else
		mp_sched_tick(&st->sched, e.time_ns);
}

static void check_table(struct state *st)
{
	uint64_t cpu_ns = 0;
	size_t i, state;

	for (i = 0; i < st->table.n_cpus; i++)
		for (state = 0; state < MP_SCHED_STATES; state++)
			cpu_ns += st->table.cpus[i].ns[state];
	must(cpu_ns == st->cpu_ns);
}

/*
 * The captures may have a filter: one of these, or the first line of the text. Returns a copy to be
 * freed.
 */
static char *add_filter(struct state *st, const uint8_t *data, size_t size)
{
	static const char *const filters[] = {
		"prev_pid==1 || next_pid==1",
		"prev_state==1 || prev_state==2",
		"prev_comm==\"a\" || next_comm ~ \"a*\"",
		"!(prev_pid<2) && next_pid>1",
	};
	const uint8_t *lf = size ? memchr(data, '\n', size) : NULL;
	char *text;

	if (!size || !(data[0] & 2))
		return NULL;
	if (data[0] & 1)
		text = mp_strndup((const char *)data + 1, lf ? lf - data - 1 : (long)size - 1);
	else
		text = mp_strdup(filters[data[0] >> 2 & 3]);
	mp_sched_filter(&st->sched, MP_SCHED_SWITCH, text);
	if (data[0] & 16)
		mp_sched_filter(&st->sched, MP_SCHED_WAKEUP, "pid==1");
	mp_sched_expect(&st->sched, MP_SCHED_SWITCH);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state memory = { .last_ns = 0 }, *st = &memory;
	char *filter;
	size_t i;

	mp_sched_init(&st->sched, &(struct mp_sched_sink){ handle_span, handle_gone, st });
	filter = add_filter(st, data, size);
	if (size && data[0] & 1)
		feed_text(st, (const char *)data + 1, (const char *)data + size);
	else
		for (i = 1; i + 8 <= size; i += 8)
			feed_event(st, data + i);
	end(st, 0);
	check_table(st);
	mp_sched_release(&st->sched);
	mp_sched_table_release(&st->table);
	mp_buf_release(&st->line);
	free(filter);
	return 0;
}
