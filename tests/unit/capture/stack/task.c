// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that are scanned while their records are under way, by this process. */
#include "lib/capture/stack/task.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static struct mp_dso *no_file(void *arg, const struct mp_proc_map *map, pid_t pid)
{
	(void)arg, (void)map, (void)pid;
	return NULL;
}

static bool is_named(const struct mp_task *task, const char *name)
{
	return mp_str_eq((struct mp_str){ task->comm, task->comm_len }, mp_str(name));
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
	mp_tasks_foresee(&t, pid, before, true);
	ok(task->process->space->n == 0, "and before an execve() unknown mappings");
	mp_tasks_comm(&t, pid, pid, MP_STR("later"), true);
	ok(is_named(task, "later"), "from the record on it has the new name");
	mp_tasks_release(&t);
	free(unknown);
	return tap_done();
}
