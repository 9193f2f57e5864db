// SPDX-License-Identifier: GPL-2.0-only
/* Writers die; each finds the tasks as they were when the state was saved last. */
#include "lib/capture/stack/task_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/capture/stack/task.h"
#include "tests/unit/tap.h"

/* ids that no process has */
enum { FIRST = 1 << 30, TASKS = 300, WRITERS = 200, STEPS = 300 };

/* What is known of a task, by its number. */
struct known {
	bool is;
	int32_t pid;
	uint64_t dead_ns;
	char comm[16];
};

static struct known saved[TASKS];

static struct known look(const struct mp_tasks *t, unsigned number)
{
	const struct mp_task *task = mp_tasks_find(t, (pid_t)(FIRST + number));
	struct known known;

	memset(&known, 0, sizeof(known)); /* it is compared as bytes */
	if (!task)
		return known;
	known.is = true;
	known.pid = task->process->pid;
	known.dead_ns = task->dead_ns;
	memcpy(known.comm, task->comm, MP_MIN(task->comm_len, sizeof(known.comm)));
	return known;
}

static unsigned differing(const struct mp_tasks *t)
{
	unsigned i, wrong = 0;

	for (i = 0; i < TASKS; i++) {
		struct known now = look(t, i);

		wrong += memcmp(&now, &saved[i], sizeof(now)) != 0;
	}
	return wrong;
}

static void save(const struct mp_tasks *t)
{
	unsigned i;

	for (i = 0; i < TASKS; i++)
		saved[i] = look(t, i);
}

static void change(struct mp_tasks *t, uint64_t now_ns)
{
	pid_t tid = (pid_t)(FIRST + random() % TASKS), parent = (pid_t)(FIRST + random() % TASKS);
	bool thread = random() % 2;
	char name[16];
	int len;

	switch (random() % 8) {
	case 0:
		mp_tasks_fork(t, thread ? parent : tid, tid, parent, parent, now_ns);
		break;
	case 1:
		mp_tasks_exit(t, tid, now_ns);
		break;
	case 2:
		mp_tasks_prune(t, now_ns > 100 ? now_ns - 100 : 0);
		break;
	default:
		len = snprintf(name, sizeof(name), "name%lu", (unsigned long)now_ns % 1000);
		mp_tasks_comm(t, tid, tid, (struct mp_str){ name, (size_t)len }, thread, now_ns);
	}
}

/* Whatever another writer has left is read without harm. */
static void test_damage(char *memory)
{
	unsigned round, i;

	for (round = 0; round < 4; round++) {
		struct mp_tasks t;

		for (i = 0; i < MP_TASK_LOG_BYTES; i += sizeof(long))
			*(long *)(memory + i) = random() << (round % 2 ? 32 : 0) ^ random();
		mp_tasks_init(&t, NULL, NULL);
		t.log = mp_task_log_new(memory);
		mp_tasks_restore(&t, (uint64_t)random());
		for (i = 0; i < STEPS; i++)
			change(&t, i);
		mp_task_log_free(t.log);
		mp_tasks_release(&t);
	}
	ok(true, "random bytes do no harm");
}

int main(void)
{
	void *memory = mmap(NULL, MP_TASK_LOG_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned writer, i, n, wrong = 0, lived = 0;
	uint64_t number = 0, now_ns = 0;

	mp_init("unit-task-log");
	for (writer = 0; writer < WRITERS; writer++) {
		struct mp_tasks t;

		mp_tasks_init(&t, NULL, NULL);
		t.log = mp_task_log_new(memory);
		mp_tasks_restore(&t, number);
		wrong += differing(&t);
		n = (unsigned)random() % STEPS;
		for (i = 0; i < n; i++) {
			change(&t, ++now_ns);
			if (random() % 20)
				continue;
			mp_task_log_saved(t.log, ++number);
			save(&t);
		}
		mp_task_log_free(t.log); /* it dies */
		mp_tasks_release(&t);
	}
	for (i = 0; i < TASKS; i++)
		lived += saved[i].is;
	ok(!wrong && lived > 10, "%d writers die; each finds the tasks of the state saved last",
	   WRITERS);
	test_damage(memory);
	return tap_done();
}
