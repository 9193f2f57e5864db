// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests tasks that are scanned while their records are still on their way; this process is the
 * task.
 */
#include "lib/capture/stack/task.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static struct mp_dso *no_file(void *arg, const struct mp_proc_map *map, struct mp_tasks *tasks,
			      struct mp_process *process)
{
	(void)arg, (void)map, (void)tasks, (void)process;
	return NULL;
}

static bool is_named(const struct mp_task *task, const char *name)
{
	return mp_str_eq((struct mp_str){ task->comm, task->comm_len }, mp_str(name));
}

static void test_look_ahead(struct mp_tasks *t, struct mp_process *p)
{
	uint64_t before = mp_monotonic_ns();

	mp_tasks_look_ahead(t, p);
	ok(p->ahead->n && p->ahead_ns >= before && p->space->n == 0,
	   "the current mappings are read beside those of the records");
	mp_tasks_caught_up(t, p);
	ok(!p->ahead, "until these have caught up");
}

/* Scans this process, whose parent called execve() after the fork, and then applies the records. */
static void test_fork(void)
{
	enum { OTHER = 1 << 30 };
	pid_t pid = getpid(), parent = getppid();
	struct mp_tasks t;
	struct mp_process *p;

	mp_tasks_init(&t, no_file, NULL);
	mp_tasks_get(&t, pid, pid);
	mp_tasks_changed(&t, pid, 42);
	mp_tasks_comm(&t, parent, parent, MP_STR("exec"), true, 0);
	mp_tasks_fork(&t, pid, pid, parent, parent, 0);
	p = mp_tasks_find(&t, pid)->process;
	ok(p->space->n && p->changed_ns == 42,
	   "where the mappings of the parent are not known, a child keeps its own");
	ok(p->ahead == p->space && p->ahead_ns, "as the kernel side does in any case");
	mp_tasks_fork(&t, OTHER, OTHER, pid, pid, 0);
	ok(mp_tasks_find(&t, OTHER)->process->space == p->space &&
		   !mp_tasks_find(&t, OTHER)->process->ahead,
	   "a child that was not scanned has those of its parent");
	mp_tasks_exit(&t, pid, 43);
	mp_tasks_fork(&t, pid, pid, parent, parent, 0);
	ok(mp_tasks_find(&t, pid)->process->space->n == 0,
	   "and so has one with the id of a process that has ended");
	mp_tasks_comm(&t, OTHER, OTHER, MP_STR("named"), false, 0);
	mp_tasks_fork(&t, OTHER + 1, OTHER + 1, OTHER, OTHER, 0);
	ok(is_named(mp_tasks_find(&t, OTHER + 1), "named"), "a child has the name of its parent");
	mp_tasks_fork(&t, OTHER + 2, OTHER + 2, OTHER + 3, OTHER + 3, 0);
	ok(is_named(mp_tasks_find(&t, OTHER + 2), ":1073741826"),
	   "and an unknown one of its own if that is unknown");
	mp_tasks_comm(&t, OTHER + 4, OTHER + 4, MP_STR("early"), false, 50);
	mp_tasks_fork(&t, OTHER + 4, OTHER + 4, OTHER, OTHER, 40);
	ok(is_named(mp_tasks_find(&t, OTHER + 4), "early"),
	   "a record of its start that comes late does not take its name away");
	mp_tasks_comm(&t, OTHER + 4, OTHER + 4, MP_STR("later"), false, 45);
	ok(is_named(mp_tasks_find(&t, OTHER + 4), "early"), "nor does that of an earlier name");
	mp_tasks_exit(&t, OTHER + 4, 60);
	mp_tasks_fork(&t, OTHER + 4, OTHER + 4, OTHER, OTHER, 40);
	ok(mp_tasks_find(&t, OTHER + 4)->dead_ns == 60, "nor does the former let it live again");
	mp_tasks_fork(&t, OTHER + 4, OTHER + 4, OTHER, OTHER, 70);
	ok(is_named(mp_tasks_find(&t, OTHER + 4), "named"),
	   "a new task with its id has the name of its parent");
	mp_tasks_release(&t);
}

int main(void)
{
	pid_t pid = getpid();
	uint64_t before = mp_monotonic_ns(), after;
	char *unknown = mp_asprintf(":%d", (int)pid);
	struct mp_tasks t;
	struct mp_task *task;

	mp_tasks_init(&t, no_file, NULL);
	mp_tasks_foresee(&t, pid, before, true);
	ok(!mp_tasks_find(&t, pid), "a record of a task that is not known adds none");
	task = mp_tasks_get(&t, pid, pid);
	after = mp_monotonic_ns();
	ok(is_named(task, "task") && task->process->space->n,
	   "a scanned task has a name and mappings");
	mp_tasks_foresee(&t, pid, after, true);
	ok(is_named(task, "task") && task->process->space->n,
	   "and keeps them until a later execve()");
	mp_tasks_foresee(&t, pid, before, false);
	ok(is_named(task, unknown) && task->process->space->n,
	   "before a new name that it had when it was scanned, it had an unknown one");
	mp_tasks_foresee(&t, pid, task->process->scanned_ns, true);
	ok(task->process->space->n == 0,
	   "and before an execve() unknown mappings, even if /proc was being read then");
	mp_tasks_comm(&t, pid, pid, MP_STR("later"), true, 0);
	ok(is_named(task, "later"), "from the record on it has the new name");
	ok(task->process->ahead && task->process->ahead->n && task->process->ahead_ns < after,
	   "the kernel side keeps the mappings that were scanned");
	test_look_ahead(&t, task->process);
	mp_tasks_release(&t);
	free(unknown);
	test_fork();
	return tap_done();
}
