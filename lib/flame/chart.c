// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/chart.h"

#include <stdlib.h>

void mp_flame_chart_init(struct mp_flame_chart *c)
{
	*c = (struct mp_flame_chart){ .n = 0 };
	mp_tree_init(&c->tree);
}

void mp_flame_chart_release(struct mp_flame_chart *c)
{
	mp_tree_release(&c->tree);
	mp_buf_release(&c->name);
	free(c->frames);
	free(c->pieces);
	*c = (struct mp_flame_chart){ .n = 0 };
}

/* The name of a task: the values of its fields with blanks between them. */
static struct mp_frame task_of(struct mp_flame_chart *c, const struct mp_frame *fields, size_t n)
{
	size_t i;

	c->name.len = 0;
	for (i = 0; i < n; i++) {
		if (i)
			mp_buf_byte(&c->name, ' ');
		mp_buf_str(&c->name, fields[i].name);
	}
	return (struct mp_frame){ .name = n ? mp_buf_view(&c->name) : MP_STR("all tasks") };
}

static void add_piece(struct mp_flame_chart *c, const struct mp_flame_piece *piece)
{
	c->pieces = mp_grow(c->pieces, &c->cap, c->n + 1, sizeof(*c->pieces));
	c->pieces[c->n++] = *piece;
}

uint32_t mp_flame_chart_add(struct mp_flame_chart *c, const struct mp_frame *frames, size_t n,
			    size_t n_task, uint64_t begin_ns, uint64_t end_ns)
{
	struct mp_flame_piece piece = { .begin_ns = begin_ns, .end_ns = end_ns };
	size_t n_stack = n - n_task;

	c->frames = mp_grow(c->frames, &c->frames_cap, n_stack + 1, sizeof(*c->frames));
	c->frames[0] = task_of(c, frames, n_task);
	if (n_stack)
		memcpy(c->frames + 1, frames + n_task, n_stack * sizeof(*frames));
	piece.task = mp_tree_add(&c->tree, c->frames, 1, 0);
	piece.node = mp_tree_add(&c->tree, c->frames, n_stack + 1, 1);
	c->events++;
	add_piece(c, &piece);
	return piece.node;
}

/* --- the ends of events ----------------------------------------------------------------------- */

static int by_number(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

static int by_task_and_time(const void *a, const void *b)
{
	const struct mp_flame_piece *x = a, *y = b;
	int order = by_number(x->task, y->task);

	if (!order)
		order = by_number(x->begin_ns, y->begin_ns);
	if (!order)
		order = by_number(x->end_ns, y->end_ns);
	return order ? order : by_number(x->node, y->node);
}

static int by_value(const void *a, const void *b)
{
	return by_number(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The time from a piece to the next one of its task, or UINT64_MAX. */
static uint64_t to_next(const struct mp_flame_chart *c, size_t i)
{
	const struct mp_flame_piece *p = &c->pieces[i];

	return i + 1 < c->n && p[1].task == p->task ? p[1].begin_ns - p->begin_ns : UINT64_MAX;
}

/* The median time from a sample to the next event of its task; 0 if no task has two. */
static uint64_t median(const struct mp_flame_chart *c)
{
	uint64_t *v = mp_alloc((c->n + 1) * sizeof(*v)), middle = 0;
	size_t n = 0, i;

	for (i = 0; i < c->n; i++)
		if (c->pieces[i].begin_ns == c->pieces[i].end_ns && to_next(c, i) != UINT64_MAX)
			v[n++] = to_next(c, i);
	if (n) {
		qsort(v, n, sizeof(*v), by_value);
		middle = v[n / 2];
	}
	free(v);
	return middle;
}

/* Gives each event its end, and the chart its own. */
static void set_ends(struct mp_flame_chart *c)
{
	uint64_t most = MP_MAX(median(c), 1);
	size_t i;

	c->begin_ns = c->n ? UINT64_MAX : 0;
	for (i = 0; i < c->n; i++) {
		struct mp_flame_piece *p = &c->pieces[i];
		uint64_t length = p->end_ns - p->begin_ns, next = to_next(c, i);

		if (!length)
			length = next - next / 3 <= most ? next : most;
		length = MP_MIN(length, UINT64_MAX - p->begin_ns);
		p->end_ns = p->begin_ns + MP_MIN(length, next);
		c->begin_ns = MP_MIN(c->begin_ns, p->begin_ns);
		c->end_ns = MP_MAX(c->end_ns, p->end_ns);
	}
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* The events of a task: those from number `first` on. */
struct task {
	size_t first, n;
	uint64_t busy_ns;
	struct mp_str name;
};

static int by_busy(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	int order = by_number(y->busy_ns, x->busy_ns);

	return order ? order : mp_str_cmp(x->name, y->name);
}

static struct task *find_tasks(struct mp_flame_chart *c)
{
	struct task *tasks = NULL;
	size_t cap = 0, i;

	for (i = 0; i < c->n; i++) {
		const struct mp_flame_piece *p = &c->pieces[i];

		if (!i || p->task != p[-1].task) {
			tasks = mp_grow(tasks, &cap, c->tasks + 1, sizeof(*tasks));
			tasks[c->tasks++] = (struct task){
				.first = i,
				.name = mp_tree_frame(&c->tree, p->task).name,
			};
		}
		tasks[c->tasks - 1].n++;
		tasks[c->tasks - 1].busy_ns += p->end_ns - p->begin_ns;
	}
	if (c->tasks)
		qsort(tasks, c->tasks, sizeof(*tasks), by_busy);
	return tasks;
}

/* Adds a piece, or makes the one before longer if it is of the same stack. */
static void append(struct mp_flame_chart *c, const struct mp_flame_piece *piece)
{
	struct mp_flame_piece *last = c->n ? &c->pieces[c->n - 1] : NULL;

	if (piece->begin_ns == piece->end_ns)
		return;
	if (last && last->task == piece->task && last->node == piece->node)
		last->end_ns = piece->end_ns;
	else
		add_piece(c, piece);
}

/* Appends the events of a task and the gaps between them. */
static void append_task(struct mp_flame_chart *c, const struct mp_flame_piece *v, size_t n)
{
	struct mp_flame_piece gap = { .begin_ns = c->begin_ns, .node = v->task, .task = v->task };
	size_t i;

	for (i = 0; i < n; i++) {
		gap.end_ns = v[i].begin_ns;
		append(c, &gap);
		append(c, &v[i]);
		gap.begin_ns = v[i].end_ns;
	}
	gap.end_ns = c->end_ns;
	append(c, &gap);
}

void mp_flame_chart_finish(struct mp_flame_chart *c)
{
	struct mp_flame_piece *events = c->pieces;
	struct task *tasks;
	size_t i;

	if (c->n)
		qsort(c->pieces, c->n, sizeof(*c->pieces), by_task_and_time);
	set_ends(c);
	tasks = find_tasks(c);
	c->pieces = NULL;
	c->n = c->cap = 0;
	for (i = 0; i < c->tasks; i++)
		append_task(c, events + tasks[i].first, tasks[i].n);
	free(events);
	free(tasks);
	mp_tree_finish(&c->tree);
}
