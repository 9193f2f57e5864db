// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/held.h"

enum { KEY = 6 }; /* length of "stack=" */

static struct mp_import_held *at(struct mp_import_queue *q, size_t i)
{
	return &q->events[(q->first + i) % MP_IMPORT_HELD_MAX];
}

/* Swaps a held event's line with im->line. */
static void swap(struct mp_import *im, struct mp_buf *line)
{
	struct mp_buf held = *line;

	*line = im->line;
	im->line = held;
}

static void write_first(struct mp_import_queue *q)
{
	struct mp_import_held *event = at(q, 0);
	struct mp_str user = mp_buf_view(&event->stacks[MP_IMPORT_USER]),
		      kernel = mp_buf_view(&event->stacks[MP_IMPORT_KERNEL]);
	struct mp_import *im = q->im;

	swap(im, &event->line);
	if (user.len || kernel.len) {
		if (im->line.len > event->body)
			mp_buf_byte(&im->line, '\t');
		mp_buf_str(&im->line, user.len ? user : kernel);
	}
	if (user.len && kernel.len) {
		mp_buf_byte(&im->line, ';');
		mp_buf_str(&im->line, mp_str_skip(kernel, KEY));
	}
	mp_import_write(im);
	swap(im, &event->line);
	q->first = (q->first + 1) % MP_IMPORT_HELD_MAX;
	q->n--;
}

/* The latest event of a CPU, or NULL. */
static struct mp_import_held *latest(struct mp_import_queue *q, uint64_t cpu)
{
	size_t i;

	for (i = q->n; i > 0; i--)
		if (at(q, i - 1)->cpu == cpu)
			return at(q, i - 1);
	return NULL;
}

struct mp_import_held *mp_import_queue_add(struct mp_import_queue *q, uint64_t cpu, uint64_t tid)
{
	struct mp_import_held *event = latest(q, cpu);

	if (event)
		event->settled = true;
	while (q->n && (q->n == MP_IMPORT_HELD_MAX || at(q, 0)->settled))
		write_first(q);
	event = at(q, q->n++);
	swap(q->im, &event->line);
	event->body = q->im->body;
	event->stacks[MP_IMPORT_USER].len = event->stacks[MP_IMPORT_KERNEL].len = 0;
	event->cpu = cpu;
	event->tid = tid;
	event->settled = false;
	return event;
}

struct mp_import_held *mp_import_queue_find(struct mp_import_queue *q, uint64_t cpu, uint64_t tid,
					    enum mp_import_side side)
{
	struct mp_import_held *event = latest(q, cpu);

	return event && event->tid == tid && !event->stacks[side].len ? event : NULL;
}

void mp_import_queue_stack(struct mp_import_queue *q, struct mp_import_held *event,
			   enum mp_import_side side, struct mp_import_frames *frames)
{
	struct mp_import *im = q->im;

	if (!frames->n && !frames->truncated)
		return;
	swap(im, &event->stacks[side]);
	im->line.len = im->body = 0;
	mp_import_stack(im, frames);
	swap(im, &event->stacks[side]);
}

void mp_import_queue_flush(struct mp_import_queue *q)
{
	while (q->n)
		write_first(q);
}

void mp_import_queue_release(struct mp_import_queue *q)
{
	size_t i;

	for (i = 0; i < MP_IMPORT_HELD_MAX; i++) {
		mp_buf_release(&q->events[i].line);
		mp_buf_release(&q->events[i].stacks[MP_IMPORT_USER]);
		mp_buf_release(&q->events[i].stacks[MP_IMPORT_KERNEL]);
	}
}
