// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/attach.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/host/record.h"
#include "lib/core/clock.h"
#include "lib/core/map.h"

enum {
	ROUNDS_MAX = 100,
	DEPTH_MAX = 1000,
	ENABLE_TIMES = 5,
	ENABLE_PAUSE_US = 1000,
	/* time within which the record of a fork follows the inheritance of events */
	BIRTH_NS = 20000000,
};

/* The state of a task. */
struct task {
	/* mp-record opened its events between these times; 0: it did not */
	uint64_t from_ns, to_ns;
	uint64_t born_ns; /* time of its FORK record; 0: created before the tracking began */
	pid_t tid, parent;
	bool listed; /* /proc lists it in one of the processes */
};

/* Which events a task has inherited: all, none, or some of them. */
enum inherited { NONE, SOME, ALL };

struct attach {
	struct mp_rings *rings;
	const struct mp_events *events;
	struct mp_target *target;
	struct mp_track *track;
	struct mp_pids *sources;
	struct mp_map tasks; /* tid -> struct task */
};

static struct task *put_task(struct attach *a, pid_t tid)
{
	struct mp_str key = { (const char *)&tid, sizeof(tid) };
	struct task *task = mp_map_value(mp_map_put(&a->tasks, &key, 1, NULL));

	task->tid = tid;
	return task;
}

static const struct task *parent_of(const struct attach *a, const struct task *t)
{
	struct mp_str key = { (const char *)&t->parent, sizeof(t->parent) };
	struct mp_map_entry *e = t->born_ns ? mp_map_find(&a->tasks, &key, 1) : NULL;

	return e ? mp_map_value(e) : NULL;
}

static void note_birth(void *arg, const struct perf_event_header *h)
{
	const struct mp_record_fork *f = (const struct mp_record_fork *)h;
	struct attach *a = arg;

	if (h->type == PERF_RECORD_FORK && h->size >= sizeof(*f))
		*put_task(a, f->tid) = (struct task){
			.born_ns = mp_record_time(h),
			.tid = f->tid,
			.parent = f->ptid,
		};
}

/*
 * Whether /proc lists a task, or one of its ancestors, in the processes. FORK records come in any
 * order, so this is not known when the task's own record comes.
 */
static bool is_ours(const struct attach *a, const struct task *t)
{
	int depth;

	for (depth = 0; t && depth < DEPTH_MAX; depth++) {
		if (t->listed)
			return true;
		t = parent_of(a, t);
	}
	return false;
}

static enum inherited inherited_by(const struct attach *a, const struct task *t)
{
	int depth;

	for (depth = 0; depth < DEPTH_MAX; depth++) {
		const struct task *parent = parent_of(a, t);

		if (!parent)
			return NONE;
		if (parent->from_ns && t->born_ns > parent->to_ns + BIRTH_NS)
			return ALL;
		if (parent->from_ns && t->born_ns > parent->from_ns)
			return SOME;
		/*
		 * if it was created before its parent had our events, what the parent inherited
		 * counts
		 */
		t = parent;
	}
	return SOME;
}

/*
 * Opens events on a task that needs its own, because it may have inherited only some, or was
 * created during the call. The task gets all events, and from then on only these count for it and
 * its children.
 */
static int open_task(struct attach *a, struct task *t, char **error)
{
	int result;

	t->from_ns = mp_monotonic_ns();
	result = mp_rings_open_on(a->rings, a->events, a->target, t->tid, error);
	t->to_ns = mp_monotonic_ns();
	if (result == 0)
		mp_pids_add(&a->target->tids, t->tid);
	if (result == 0 && t->born_ns)
		mp_pids_add(a->sources, t->tid);
	return result < 0 ? -1 : 0;
}

/*
 * Opens the events on the tasks that do not have all of them yet. Returns how many tasks there
 * were, or -1.
 */
static int open_round(struct attach *a, const struct mp_pids *pids, char **error)
{
	struct mp_pids tids = { NULL, 0, 0 };
	struct mp_map_entry *e;
	int opened = 0;
	size_t i;

	mp_proc_threads_of(pids, &tids);
	for (i = 0; i < tids.n; i++)
		put_task(a, tids.v[i])->listed = true;
	mp_pids_release(&tids);
	/* the tracking is read after the list, so that the records of all listed tasks have come */
	mp_track_drain(a->track, note_birth, a);
	mp_map_each (&a->tasks, e) {
		struct task *t = mp_map_value(e);

		if (t->from_ns || !is_ours(a, t) || inherited_by(a, t) == ALL)
			continue;
		if (open_task(a, t, error) < 0)
			return -1;
		opened++;
	}
	return opened;
}

int mp_attach(struct mp_rings *rings, const struct mp_events *events, struct mp_target *target,
	      const struct mp_pids *pids, struct mp_track *track, struct mp_pids *sources,
	      char **error)
{
	struct attach a = {
		.rings = rings,
		.events = events,
		.target = target,
		.track = track,
		.sources = sources,
	};
	int opened = 1, round;

	mp_map_init(&a.tasks, sizeof(struct task));
	for (round = 0; round < ROUNDS_MAX && opened > 0; round++)
		opened = open_round(&a, pids, error);
	mp_map_release(&a.tasks);
	return opened < 0 ? -1 : mp_rings_ready(rings, events, target, error);
}

/*
 * A new task inherits its parent's events in their current state, on or off. The kernel's lock
 * prevents a fork from reading "off" just before the events are switched on, but only if the parent
 * has the events that were opened: not inherited ones, and not those of a child with which the
 * kernel has swapped its context. So contexts are kept apart (mp_rings_let_swap()). The children of
 * a task that inherited its events may still be missed, with all that they create, until they are
 * switched on once more. Where a fork waits for a CPU between the two, it is late by more than
 * these pauses.
 */
void mp_attach_enable(struct mp_rings *rings)
{
	int i;

	for (i = 0; i < ENABLE_TIMES; i++) {
		mp_rings_enable(rings);
		usleep(ENABLE_PAUSE_US);
	}
}
