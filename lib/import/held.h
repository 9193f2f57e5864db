/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of ftrace that wait for their stacks, which the kernel writes as entries of their own
 * after the event, on the same CPU and of the same thread. An event waits until the next one of its
 * CPU, or until MP_IMPORT_HELD_MAX newer ones; their order stays. Includes frames.
 */
#ifndef MP_IMPORT_HELD_H
#define MP_IMPORT_HELD_H

#include "lib/import/frames.h"

enum { MP_IMPORT_HELD_MAX = 64 };

enum mp_import_side { MP_IMPORT_USER, MP_IMPORT_KERNEL };

struct mp_import_held {
	struct mp_buf line;
	size_t body;		 /* offset of the fields in `line`, as in struct mp_import */
	struct mp_buf stacks[2]; /* the stacks of both sides, kernel and user: "stack=..." */
	uint64_t cpu, tid;
	bool settled; /* a newer event of its CPU has been read */
};

struct mp_import_queue {
	struct mp_import *im; /* borrowed */
	struct mp_import_held events[MP_IMPORT_HELD_MAX];
	size_t first, n;
};

/* Appends the event in im->line, and writes those that do not wait any longer. */
struct mp_import_held *mp_import_queue_add(struct mp_import_queue *q, uint64_t cpu, uint64_t tid);

/*
 * The latest event of a CPU, if it belongs to this thread and has no stack of this side; else NULL.
 */
struct mp_import_held *mp_import_queue_find(struct mp_import_queue *q, uint64_t cpu, uint64_t tid,
					    enum mp_import_side side);

/* Moves frames to an event. */
void mp_import_queue_stack(struct mp_import_queue *q, struct mp_import_held *event,
			   enum mp_import_side side, struct mp_import_frames *frames);

/* Writes all events. */
void mp_import_queue_flush(struct mp_import_queue *q);
void mp_import_queue_release(struct mp_import_queue *q);

#endif
