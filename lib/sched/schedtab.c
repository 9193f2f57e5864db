// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sched/schedtab.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/cell.h"
#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

/* --- adding up -------------------------------------------------------------------------------- */

static void free_row(struct mp_sched_row *r)
{
	mp_loghist_release(&r->wait.hist);
	mp_loghist_release(&r->sleep.hist);
	free(r->comm);
}

void mp_sched_table_release(struct mp_sched_table *t)
{
	size_t i;

	for (i = 0; i < t->n_rows; i++) {
		free_row(t->rows[i]);
		free(t->rows[i]);
	}
	free(t->rows);
	free(t->cpus);
	free_row(&t->total);
}

static void add_length(struct mp_sched_lengths *l, uint64_t ns)
{
	l->n++;
	l->sum_ns += ns;
	l->max_ns = MP_MAX(l->max_ns, ns);
	mp_loghist_add(&l->hist, (double)ns, 1);
}

static void compute_p99(struct mp_sched_lengths *l)
{
	l->p99_ns = l->n ? (uint64_t)mp_loghist_percentile(&l->hist, 0.99) : 0;
}

static struct mp_sched_row *cpu_row(struct mp_sched_table *t, int32_t cpu)
{
	if ((size_t)cpu >= t->n_cpus) {
		t->cpus = mp_grow(t->cpus, &t->cap_cpus, cpu + 1, sizeof(*t->cpus));
		memset(t->cpus + t->n_cpus, 0, (cpu + 1 - t->n_cpus) * sizeof(*t->cpus));
		t->n_cpus = cpu + 1;
	}
	return &t->cpus[cpu];
}

/* The state that the table has: the time in a guest is a part of a run. */
static enum mp_sched_state state_of(const struct mp_sched_span *span)
{
	return span->state == MP_SCHED_GUEST ? MP_SCHED_RUN : span->state;
}

/* Whether a run ends with this span: it has several if a guest had a part of it. */
static bool ends_run(const struct mp_sched_span *span)
{
	return state_of(span) == MP_SCHED_RUN && span->then != MP_SCHED_RUN;
}

static void add_span(struct mp_sched_row *r, const struct mp_sched_span *span)
{
	uint64_t ns = span->to_ns - span->from_ns;

	r->ns[state_of(span)] += ns;
	if (ends_run(span)) {
		r->runs++;
		r->voluntary += span->then == MP_SCHED_SLEEP || span->then == MP_SCHED_BLOCK ||
				span->then == MP_SCHED_STOPPED || span->then == MP_SCHED_DEAD;
		r->involuntary += span->then == MP_SCHED_PREEMPTED;
	}
	if (span->cut_begin || span->cut_end)
		return;
	if (span->state == MP_SCHED_WAIT || span->state == MP_SCHED_PREEMPTED)
		add_length(&r->wait, ns);
	else if (span->state == MP_SCHED_SLEEP || span->state == MP_SCHED_BLOCK)
		add_length(&r->sleep, ns);
}

static struct mp_sched_row *task_row(struct mp_sched_table *t, struct mp_sched_task *task)
{
	struct mp_sched_row *r = task->user;

	if (r)
		return r;
	r = task->user = mp_zalloc(sizeof(*r));
	r->tid = task->tid;
	r->task = task;
	t->rows = mp_grow(t->rows, &t->cap_rows, t->n_rows + 1, sizeof(*t->rows));
	t->rows[t->n_rows++] = r;
	return r;
}

void mp_sched_table_span(struct mp_sched_table *t, const struct mp_sched_span *span)
{
	struct mp_sched_row *r;

	if (span->cpu >= 0) {
		r = cpu_row(t, span->cpu);
		r->ns[state_of(span)] += span->to_ns - span->from_ns;
		r->runs += ends_run(span);
	}
	if (!span->task)
		return;
	add_span(task_row(t, span->task), span);
	add_span(&t->total, span);
}

static void update(struct mp_sched_row *r, bool migrated)
{
	const struct mp_sched_task *task = r->task;

	r->pid = task->pid;
	free(r->comm);
	r->comm = NULL;
	if (task->has_comm)
		r->comm = mp_strndup(task->comm.p ? task->comm.p : "", task->comm.len);
	r->migrations = migrated ? task->migrations : task->moves;
	compute_p99(&r->wait);
	compute_p99(&r->sleep);
}

void mp_sched_table_gone(struct mp_sched_table *t, struct mp_sched_task *task, bool migrated)
{
	struct mp_sched_row *r = task->user;

	if (!r)
		return;
	update(r, migrated);
	t->total.migrations += r->migrations;
	mp_loghist_release(&r->wait.hist);
	mp_loghist_release(&r->sleep.hist);
	r->task = NULL;
}

void mp_sched_table_update(struct mp_sched_table *t, bool migrated)
{
	size_t i;

	for (i = 0; i < t->n_rows; i++)
		if (t->rows[i]->task)
			update(t->rows[i], migrated);
}

/* --- writing ---------------------------------------------------------------------------------- */

static uint64_t average(const struct mp_sched_lengths *l)
{
	return l->n ? l->sum_ns / l->n : 0;
}

static uint64_t figure(const struct mp_sched_row *r, enum mp_sched_order order)
{
	switch (order) {
	case MP_SCHED_BY_RUN:
		return r->ns[MP_SCHED_RUN];
	case MP_SCHED_BY_RUNS:
		return r->runs;
	case MP_SCHED_BY_VOLUNTARY:
		return r->voluntary;
	case MP_SCHED_BY_INVOLUNTARY:
		return r->involuntary;
	case MP_SCHED_BY_WAIT_AVG:
		return average(&r->wait);
	case MP_SCHED_BY_WAIT_MAX:
		return r->wait.max_ns;
	case MP_SCHED_BY_WAIT_P99:
		return r->wait.p99_ns;
	case MP_SCHED_BY_SLEEP_AVG:
		return average(&r->sleep);
	case MP_SCHED_BY_SLEEP_MAX:
		return r->sleep.max_ns;
	case MP_SCHED_BY_SLEEP_P99:
		return r->sleep.p99_ns;
	case MP_SCHED_BY_MIGRATIONS:
		return r->migrations;
	}
	return 0;
}

static int by_figure(const void *a, const void *b, void *arg)
{
	const struct mp_sched_row *x = *(struct mp_sched_row *const *)a;
	const struct mp_sched_row *y = *(struct mp_sched_row *const *)b;
	const enum mp_sched_order *order = arg;
	uint64_t v = figure(x, *order), w = figure(y, *order);

	if (v != w)
		return v > w ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void sort(struct mp_sched_table *t, enum mp_sched_order order)
{
	/* the order of tasks that compare equal does not matter: they have equal lines */
	if (t->n_rows)
		qsort_r(t->rows, t->n_rows, sizeof(struct mp_sched_row *), by_figure, &order);
	compute_p99(&t->total.wait);
	compute_p99(&t->total.sleep);
}

enum { COLUMNS = 16 };

struct cells {
	char text[COLUMNS][4 * MP_SCHED_COMM_MAX + 1];
	size_t n;
};

static void cell(struct cells *c, const char *fmt, ...) MP_PRINTF(2, 3);

static void cell(struct cells *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->text[c->n], sizeof(c->text[0]), fmt, ap);
	va_end(ap);
	c->n++;
}

static void cell_count(struct cells *c, uint64_t n)
{
	cell(c, "%llu", (unsigned long long)n);
}

static void cell_ns(struct cells *c, uint64_t ns)
{
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)ns);
	cell(c, "%s", text);
}

static void cell_share(struct cells *c, uint64_t part, uint64_t whole)
{
	if (whole)
		cell(c, "%.2f%%", 100.0 * (double)part / (double)whole);
	else
		cell(c, "-");
}

static void cells_unknown(struct cells *c, size_t n)
{
	while (n--)
		cell(c, "-");
}

static void cell_lengths(struct cells *c, const struct mp_sched_lengths *l)
{
	if (!l->n) {
		cells_unknown(c, 3);
		return;
	}
	cell_ns(c, average(l));
	cell_ns(c, l->max_ns);
	cell_ns(c, l->p99_ns);
}

static void name_cell(struct cells *c, const char *comm)
{
	struct mp_buf safe = { NULL, 0, 0 };

	if (comm)
		mp_esc_terminal(&safe, mp_str(comm));
	cell(c, "%.*s", (int)safe.len, safe.p ? safe.p : "");
	mp_buf_release(&safe);
}

static void task_cells(struct cells *c, const struct mp_sched_table *t,
		       const struct mp_sched_row *r, bool total)
{
	bool known = !t->filtered || r->runs;

	c->n = 0;
	if (total)
		cell(c, "all");
	else
		cell(c, "%d", r->tid);
	if (known) {
		cell_count(c, r->runs);
		cell_ns(c, r->ns[MP_SCHED_RUN]);
		cell_share(c, r->ns[MP_SCHED_RUN], t->length_ns);
		cell_count(c, r->voluntary);
		cell_count(c, r->involuntary);
	} else {
		cells_unknown(c, 5);
	}
	cell_lengths(c, &r->wait);
	cell_lengths(c, &r->sleep);
	if (known || r->migrations)
		cell_count(c, r->migrations);
	else
		cells_unknown(c, 1);
	name_cell(c, total ? NULL : r->comm);
}

static void cpu_cells(struct cells *c, const struct mp_sched_row *r, size_t cpu)
{
	uint64_t all = r->ns[MP_SCHED_RUN] + r->ns[MP_SCHED_IDLE] + r->ns[MP_SCHED_UNKNOWN];

	c->n = 0;
	cell(c, "%zu", cpu);
	cell_count(c, r->runs);
	cell_ns(c, r->ns[MP_SCHED_RUN]);
	cell_share(c, r->ns[MP_SCHED_RUN], all);
	cell_ns(c, r->ns[MP_SCHED_IDLE]);
	cell_share(c, r->ns[MP_SCHED_IDLE], all);
	cell_ns(c, r->ns[MP_SCHED_UNKNOWN]);
}

static void widen(size_t *widths, const struct cells *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		widths[i] = MP_MAX(widths[i], strlen(c->text[i]));
}

/* Aligns numbers to the right; the name, which is last, is not padded. */
static void put_cells(struct mp_out *out, const size_t *widths, const struct cells *c, bool name)
{
	size_t i, len;

	for (i = 0; i < c->n; i++) {
		len = strlen(c->text[i]);
		if (name && i == c->n - 1 && !len)
			break;
		if (i)
			mp_out_write(out, "  ", 2);
		for (; len < widths[i] && !(name && i == c->n - 1); len++)
			mp_out_write(out, " ", 1);
		mp_out_write(out, c->text[i], strlen(c->text[i]));
	}
	mp_out_write(out, "\n", 1);
}

static void titles(struct cells *c, const char *const *texts, size_t n)
{
	size_t i;

	c->n = 0;
	for (i = 0; i < n; i++)
		cell(c, "%s", texts[i]);
}

/* Whether the table has any time of a CPU. */
static bool is_used(const struct mp_sched_row *cpu)
{
	return cpu->ns[MP_SCHED_RUN] | cpu->ns[MP_SCHED_IDLE] | cpu->ns[MP_SCHED_UNKNOWN];
}

static void write_cpus(const struct mp_sched_table *t, struct mp_out *out)
{
	static const char *const names[] = { "CPU",  "runs",  "busy",	"busy%",
					     "idle", "idle%", "unknown" };
	size_t widths[COLUMNS] = { 0 }, i, pass;
	struct cells c;

	for (pass = 0; pass < 2; pass++) {
		titles(&c, names, MP_ARRAY_SIZE(names));
		pass ? put_cells(out, widths, &c, false) : widen(widths, &c);
		for (i = 0; i < t->n_cpus; i++) {
			if (!is_used(&t->cpus[i]))
				continue;
			cpu_cells(&c, &t->cpus[i], i);
			pass ? put_cells(out, widths, &c, false) : widen(widths, &c);
		}
	}
}

static void write_tasks(const struct mp_sched_table *t, size_t max_rows, struct mp_out *out)
{
	static const char *const names[] = { "TID",	 "runs",      "run",	   "CPU%",
					     "gave up",	 "preempted", "wait avg",  "wait max",
					     "wait p99", "sleep avg", "sleep max", "sleep p99",
					     "migr",	 "COMM" };
	size_t widths[COLUMNS] = { 0 }, n = MP_MIN(t->n_rows, max_rows), i, pass;
	struct cells c;

	for (pass = 0; pass < 2; pass++) {
		titles(&c, names, MP_ARRAY_SIZE(names));
		pass ? put_cells(out, widths, &c, true) : widen(widths, &c);
		for (i = 0; i <= n; i++) {
			task_cells(&c, t, i < n ? t->rows[i] : &t->total, i == n);
			pass ? put_cells(out, widths, &c, true) : widen(widths, &c);
		}
	}
}

static size_t used_cpus(const struct mp_sched_table *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n_cpus; i++)
		n += is_used(&t->cpus[i]);
	return n;
}

void mp_sched_table_text(struct mp_sched_table *t, struct mp_str host, enum mp_sched_order order,
			 size_t max_lines, struct mp_out *out)
{
	enum { OTHER_LINES = 4 }; /* the title, a blank line, the titles of tasks, and their sums */
	size_t cpu_lines = t->filtered ? 0 : used_cpus(t) + 2, max_rows = SIZE_MAX;
	struct mp_buf title = { NULL, 0, 0 };
	char length[MP_UNIT_MAX];

	if (max_lines && cpu_lines * 2 > max_lines)
		cpu_lines = 0;
	if (max_lines)
		max_rows = MP_MAX(max_lines, cpu_lines + OTHER_LINES) - cpu_lines - OTHER_LINES;
	sort(t, order);
	mp_unit_put(length, "ns", (double)t->length_ns);
	if (host.len) {
		mp_esc_terminal(&title, host);
		mp_buf_str(&title, MP_STR(": "));
	}
	mp_buf_printf(&title, "%zu %s in %s\n\n", t->n_rows, t->n_rows == 1 ? "task" : "tasks",
		      length);
	mp_out_write(out, title.p, title.len);
	if (cpu_lines) {
		write_cpus(t, out);
		mp_out_write(out, "\n", 1);
	}
	write_tasks(t, max_rows, out);
	mp_buf_release(&title);
}

/* --- TAB-separated ---------------------------------------------------------------------------- */

static void put_field(struct mp_buf *b, uint64_t v)
{
	char number[MP_NUM_MAX], *end = mp_put_u64(number, v);

	mp_buf_byte(b, '\t');
	mp_buf_add(b, number, end - number);
}

static void put_lengths(struct mp_buf *b, const struct mp_sched_lengths *l)
{
	put_field(b, l->n);
	put_field(b, average(l));
	put_field(b, l->max_ns);
	put_field(b, l->p99_ns);
}

/* Writes text with the escapes of the stream as a cell; none if it is empty. */
static void put_text(struct mp_buf *b, struct mp_str escaped)
{
	struct mp_buf raw = { NULL, 0, 0 };

	if (escaped.len)
		mp_cell_tsv(b, mp_esc_decode(&raw, escaped));
	mp_buf_release(&raw);
}

static void put_row(struct mp_buf *b, const char *what, struct mp_str host, int64_t id,
		    const struct mp_sched_row *r)
{
	size_t i;

	mp_buf_str(b, mp_str(what));
	mp_buf_byte(b, '\t');
	put_text(b, host);
	mp_buf_byte(b, '\t');
	if (id >= 0)
		mp_buf_printf(b, "%lld", (long long)id);
	mp_buf_byte(b, '\t');
	if (*what == 't' && id >= 0 && r->pid >= 0)
		mp_buf_printf(b, "%d", r->pid);
	mp_buf_byte(b, '\t');
	if (r->comm)
		put_text(b, mp_str(r->comm));
	put_field(b, r->runs);
	for (i = 0; i < MP_SCHED_STATES; i++)
		if (i != MP_SCHED_GUEST)
			put_field(b, r->ns[i]);
	put_field(b, r->voluntary);
	put_field(b, r->involuntary);
	put_lengths(b, &r->wait);
	put_lengths(b, &r->sleep);
	put_field(b, r->migrations);
	mp_buf_byte(b, '\n');
}

void mp_sched_table_tsv(struct mp_sched_table *t, struct mp_str host, enum mp_sched_order order,
			bool first, struct mp_out *out)
{
	struct mp_buf b = { NULL, 0, 0 };
	size_t i;

	sort(t, order);
	if (first) {
		mp_buf_str(&b, MP_STR("what\thost\tid\tpid\tcomm\truns"));
		for (i = 0; i < MP_SCHED_STATES; i++)
			if (i != MP_SCHED_GUEST)
				mp_buf_printf(&b, "\t%s_ns",
					      mp_sched_state_name((enum mp_sched_state)i));
		mp_buf_str(&b, MP_STR("\tvoluntary\tinvoluntary\twaits\twait_avg_ns\twait_max_ns"
				      "\twait_p99_ns\tsleeps\tsleep_avg_ns\tsleep_max_ns"
				      "\tsleep_p99_ns\tmigrations\n"));
	}
	for (i = 0; i < t->n_cpus; i++)
		if (is_used(&t->cpus[i]))
			put_row(&b, "cpu", host, (int64_t)i, &t->cpus[i]);
	for (i = 0; i < t->n_rows; i++)
		put_row(&b, "task", host, t->rows[i]->tid, t->rows[i]);
	put_row(&b, "total", host, -1, &t->total);
	mp_out_write(out, b.p, b.len);
	mp_buf_release(&b);
}
