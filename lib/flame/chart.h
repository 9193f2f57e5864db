/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame chart: the stacks of tasks in the order of time. Each task is a child of the root, and
 * has pieces one after the other from the beginning of the chart to its end: of a stack, or of
 * none. Memory grows with the number of events. Includes tree.
 */
#ifndef MP_FLAME_CHART_H
#define MP_FLAME_CHART_H

#include "lib/tree/tree.h"

/* A time in which a task has the same stack. */
struct mp_flame_piece {
	uint64_t begin_ns, end_ns;
	uint32_t node; /* of the last frame, in the tree; that of the task: there is no stack */
	uint32_t task; /* node of the task */
};

struct mp_flame_chart {
	struct mp_tree tree; /* of all stacks, each with its task as the first frame */
	size_t events;

	/* set by mp_flame_chart_finish() */
	uint64_t begin_ns, end_ns;
	size_t tasks;
	/*
	 * the pieces of the busiest task, then those of the next one, each in order of time; two
	 * pieces that follow each other never have the same stack
	 */
	struct mp_flame_piece *pieces;
	size_t n;

	/* private */
	size_t cap;
	struct mp_buf name;
	struct mp_frame *frames; /* of a stack with its task */
	size_t frames_cap;
};

void mp_flame_chart_init(struct mp_flame_chart *c);
void mp_flame_chart_release(struct mp_flame_chart *c);

/*
 * Adds an event with n frames, the first `n_task` of which are the fields of its task. It is a span
 * from `begin_ns` to `end_ns`, or, if these are equal, a sample. Returns the node of its last frame.
 */
uint32_t mp_flame_chart_add(struct mp_flame_chart *c, const struct mp_frame *frames, size_t n,
			    size_t n_task, uint64_t begin_ns, uint64_t end_ns);

/*
 * After the last event: makes the pieces, and finishes the tree. A sample lasts until the next
 * event of its task, but if that comes later than one and a half times the median of these times,
 * only for the median. What overlaps the next event ends where that begins.
 */
void mp_flame_chart_finish(struct mp_flame_chart *c);

#endif
