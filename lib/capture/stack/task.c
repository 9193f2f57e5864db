// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/task.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/core/clock.h"

enum {
	UID_NS = 1000000000, /* how long a uid is assumed to be unchanged */
	/*
	 * The kernel does not report what is unmapped, so a program that often maps code again seems
	 * to have more and more mappings: then they are read from /proc.
	 */
	MAPPINGS_MAX = 16 << 10,
	READ_APART_NS = 1000000000,
	FEW_MAPPINGS = 16, /* up to here they cost less than to find out whose they are */
};

void mp_tasks_init(struct mp_tasks *t, mp_tasks_dso_fn *dso, void *arg)
{
	*t = (struct mp_tasks){ .dso = dso, .dso_arg = arg };
	mp_intmap_init(&t->by_tid);
}

static struct mp_space *new_space(struct mp_tasks *t)
{
	struct mp_space *s = mp_zalloc(sizeof(*s));

	s->refs = 1;
	s->number = s->id = ++t->next_space;
	return s;
}

static void drop_space(struct mp_tasks *t, struct mp_space *s)
{
	if (--s->refs)
		return;
	if (t->gone)
		t->gone(t->gone_arg, s);
	mp_space_clear(s, t->budget);
	free(s);
}

void mp_tasks_caught_up(struct mp_tasks *t, struct mp_process *p)
{
	if (p->ahead)
		drop_space(t, p->ahead);
	p->ahead = NULL;
}

static struct mp_process *new_process(struct mp_tasks *t, pid_t pid, struct mp_space *shared)
{
	struct mp_process *p = mp_zalloc(sizeof(*p));

	p->pid = pid;
	p->uid = pid ? MP_BUDGET_UNKNOWN : 0; /* 0: an idle task, or one outside the namespace */
	p->space = shared ? shared : new_space(t);
	if (shared)
		shared->refs++;
	return p;
}

static void drop_process(struct mp_tasks *t, struct mp_process *p)
{
	if (!p || --p->refs)
		return;
	mp_tasks_caught_up(t, p);
	drop_space(t, p->space);
	free(p);
}

static void set_process(struct mp_tasks *t, struct mp_task *task, struct mp_process *p)
{
	p->refs++;
	drop_process(t, task->process);
	task->process = p;
	task->text_len = 0;
}

/*
 * Prepares the address space of a process for a change: a shared one is copied, and it gets a new
 * id.
 */
static struct mp_space *change_space(struct mp_tasks *t, struct mp_process *p)
{
	struct mp_space *old = p->space, *s;

	if (old->refs == 1) {
		old->id = ++t->next_space;
		return old;
	}
	s = new_space(t);
	mp_space_copy(s, old);
	drop_space(t, old);
	p->space = s;
	return s;
}

static struct mp_task *task_of(const struct mp_intmap_entry *e)
{
	return (struct mp_task *)(uintptr_t)e->value;
}

/* Lets another writer know of a change. */
static void log_task(struct mp_tasks *t, struct mp_task *task)
{
	struct mp_task_logged logged = {
		.tid = task->tid,
		.pid = task->process->pid,
		.source = task->source,
		.inner_pid = task->inner_pid,
		.inner_tid = task->inner_tid,
		.comm_len = task->comm_len,
		.dead_ns = task->dead_ns,
		.named_ns = task->named_ns,
	};

	if (!t->log)
		return;
	memcpy(logged.comm, task->comm, task->comm_len);
	mp_task_log_put(t->log, &task->slot, &logged);
}

static void free_task(struct mp_tasks *t, struct mp_task *task)
{
	drop_process(t, task->process);
	free(task);
}

void mp_tasks_release(struct mp_tasks *t)
{
	struct mp_intmap_entry *e;

	mp_intmap_each (&t->by_tid, e)
		free_task(t, task_of(e));
	mp_intmap_release(&t->by_tid);
	mp_pids_release(&t->sources);
}

struct mp_task *mp_tasks_find(const struct mp_tasks *t, pid_t tid)
{
	return mp_intmap_pointer(&t->by_tid, (uint32_t)tid);
}

static void set_comm(struct mp_task *task, struct mp_str comm)
{
	task->comm_len = MP_MIN(comm.len, sizeof(task->comm));
	if (task->comm_len)
		memcpy(task->comm, comm.p, task->comm_len);
	task->text_len = 0;
}

/* The name ":TID", which means an unknown one. */
static struct mp_str unknown_name(const struct mp_task *task, char text[16])
{
	snprintf(text, 16, ":%d", (int)task->tid);
	return mp_str(text);
}

static void set_unknown(struct mp_task *task)
{
	char text[16];

	set_comm(task, unknown_name(task, text));
}

/* Gives a task the name of the one that has started it, if that is known. */
static void inherit_name(struct mp_task *task, const struct mp_task *parent, uint64_t time_ns)
{
	struct mp_str name = { parent->comm, parent->comm_len };
	char text[16];

	if (mp_str_eq(name, unknown_name(parent, text)))
		set_unknown(task);
	else
		set_comm(task, name);
	task->named_ns = time_ns;
}

/* Adds a task that has started; one that has ended may have had the same tid. */
static struct mp_task *add_task(struct mp_tasks *t, pid_t tid, struct mp_process *p)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (!task) {
		task = mp_zalloc(sizeof(*task));
		task->tid = tid;
		mp_intmap_add_pointer(&t->by_tid, (uint32_t)tid, task);
	}
	task->dead_ns = 0;
	task->restored = false;
	task->inner_pid = task->inner_tid = 0;
	set_process(t, task, p);
	return task;
}

static struct mp_process *process_of(struct mp_tasks *t, pid_t pid)
{
	struct mp_task *leader = mp_tasks_find(t, pid);

	if (leader && leader->process->pid == pid)
		return leader->process;
	return NULL;
}

/* Adds a task that another writer has known; that of a process is added before its threads. */
static void restore_task(struct mp_tasks *t, uint32_t slot, const struct mp_task_logged *logged)
{
	struct mp_process *p = process_of(t, logged->pid);
	struct mp_task *task;

	if (mp_tasks_find(t, logged->tid))
		return;
	task = add_task(t, logged->tid, p ? p : new_process(t, logged->pid, NULL));
	task->source = logged->source;
	task->dead_ns = logged->dead_ns;
	task->named_ns = logged->named_ns;
	task->inner_pid = logged->inner_pid;
	task->inner_tid = logged->inner_tid;
	task->restored = true;
	task->slot = slot;
	set_comm(task, (struct mp_str){ logged->comm, logged->comm_len });
}

static void restore_leader(void *arg, uint32_t slot, const struct mp_task_logged *logged)
{
	if (logged->tid == logged->pid)
		restore_task(arg, slot, logged);
}

static void restore_thread(void *arg, uint32_t slot, const struct mp_task_logged *logged)
{
	if (logged->tid != logged->pid)
		restore_task(arg, slot, logged);
}

void mp_tasks_restore(struct mp_tasks *t, uint64_t number)
{
	mp_task_log_restore(t->log, number);
	mp_task_log_each(t->log, restore_leader, t);
	mp_task_log_each(t->log, restore_thread, t);
}

/* Whether a process may have one more mapping. */
static bool may_map(struct mp_tasks *t, struct mp_process *p, const struct mp_space *s,
		    const char *path)
{
	struct mp_budget_who who;

	if (s->n < FEW_MAPPINGS)
		return true;
	who = mp_tasks_who(t, p, path);
	if (s->n >= MAPPINGS_MAX)
		mp_budget_refuse(t->budget, MP_BUDGET_MAPPINGS, &who);
	if (s->n >= MAPPINGS_MAX ||
	    !mp_budget_take(t->budget, MP_BUDGET_MAPPINGS, &who, mp_space_mapping_bytes()))
		return false;
	/* mp_space_add() takes this, and what else the change needs */
	mp_budget_give(t->budget, MP_BUDGET_MAPPINGS, who.uid, mp_space_mapping_bytes());
	return true;
}

static void add_mapping(struct mp_tasks *t, struct mp_process *p, struct mp_space *s,
			const struct mp_proc_map *map)
{
	struct mp_mapping m = { map->start, map->end, map->offset, NULL };

	if (map->end <= map->start || !may_map(t, p, s, map->path))
		return;
	m.dso = t->dso(t->dso_arg, map, t, p);
	mp_space_add(s, &m, t->budget, p->uid);
}

struct scan {
	struct mp_tasks *tasks;
	struct mp_process *process;
	struct mp_space *to;
};

static void scan_map(void *arg, const struct mp_proc_map *map)
{
	struct scan *s = arg;

	add_mapping(s->tasks, s->process, s->to, map);
}

/* Reads the mappings of a process. The time is charged to its user, if the share has some left. */
static void read_maps(struct mp_tasks *t, struct mp_process *p, struct mp_space *to)
{
	struct scan s = { t, p, to };
	struct mp_budget_who who = mp_tasks_who(t, p, NULL);
	uint64_t began = mp_monotonic_ns();

	if (mp_work_avoids_process(t->work, who.pid) ||
	    !mp_budget_take(t->budget, MP_BUDGET_TIME, &who, 1))
		return;
	who.uid = mp_budget_uid(t->budget, who.uid);
	mp_work_begin(t->work, MP_WORK_PROCESS, &who, NULL);
	if (!mp_proc_maps(p->pid, scan_map, &s))
		mp_budget_refuse(t->budget, MP_BUDGET_MAPPINGS, &who);
	mp_work_end(t->work, MP_WORK_PROCESS);
	mp_budget_spend(t->budget, MP_BUDGET_TIME, who.uid, mp_monotonic_ns() - began);
}

static void add_thread(struct mp_tasks *t, struct mp_process *p, pid_t tid)
{
	struct mp_task *task = mp_tasks_find(t, tid);
	bool named = task && task->restored && !task->dead_ns && task->process->pid == p->pid;
	char comm[64];
	size_t len;

	if (!mp_proc_comm(p->pid, tid, comm, &len))
		return;
	task = add_task(t, tid, p);
	task->restored = named;
	if (!named)
		set_comm(task, (struct mp_str){ comm, len });
	if (t->inner)
		mp_proc_inner_ids(task->tid, &task->inner_pid, &task->inner_tid);
	log_task(t, task);
}

void mp_tasks_scan(struct mp_tasks *t, pid_t pid)
{
	struct mp_process *p = new_process(t, pid, NULL);
	struct mp_pids tids = { NULL, 0, 0 };
	size_t i;

	p->refs++;
	p->scanned_ns = p->uid_ns = mp_monotonic_ns();
	p->uid = mp_proc_uid(pid);
	mp_proc_threads(pid, &tids);
	for (i = 0; i < tids.n; i++)
		add_thread(t, p, tids.v[i]);
	if (tids.n && t->dso)
		read_maps(t, p, p->space);
	mp_pids_release(&tids);
	p->scan_ended_ns = mp_monotonic_ns();
	drop_process(t, p);
}

void mp_tasks_look_ahead(struct mp_tasks *t, struct mp_process *p)
{
	struct mp_space *s = new_space(t);
	uint64_t now = mp_monotonic_ns();

	read_maps(t, p, s);
	if (!s->n) {
		drop_space(t, s);
		return;
	}
	mp_tasks_caught_up(t, p);
	p->ahead = s;
	p->ahead_ns = now;
}

void mp_tasks_changed(struct mp_tasks *t, pid_t tid, uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (task)
		task->process->changed_ns = MP_MAX(task->process->changed_ns, time_ns);
}

struct mp_task *mp_tasks_get(struct mp_tasks *t, pid_t pid, pid_t tid)
{
	struct mp_task *task = mp_tasks_find(t, tid);
	struct mp_process *p;

	if (task)
		return task;
	if (pid < 0)
		pid = mp_proc_process_of(tid);
	if (pid > 0 && !process_of(t, pid))
		mp_tasks_scan(t, pid);
	task = mp_tasks_find(t, tid);
	if (task)
		return task;
	p = pid > 0 ? process_of(t, pid) : NULL;
	task = add_task(t, tid, p ? p : new_process(t, pid > 0 ? pid : tid, NULL));
	set_unknown(task);
	log_task(t, task);
	return task;
}

struct mp_budget_who mp_tasks_who(const struct mp_tasks *t, struct mp_process *p, const char *file)
{
	const struct mp_task *leader = mp_tasks_find(t, p->pid);
	struct mp_budget_who who = { .pid = p->pid, .file = file };
	uint64_t now = mp_monotonic_ns();
	uid_t uid;

	/* the pid of a process that has ended may have been reused */
	if ((!p->uid_ns || now - p->uid_ns > UID_NS) && !(leader && leader->dead_ns)) {
		uid = mp_proc_uid(p->pid);
		if (uid != MP_BUDGET_UNKNOWN)
			p->uid = uid;
		p->uid_ns = now;
	}
	who.uid = p->uid;
	if (leader)
		who.comm = (struct mp_str){ leader->comm, leader->comm_len };
	return who;
}

static void forget_mappings(struct mp_tasks *t, struct mp_process *p)
{
	drop_space(t, p->space);
	p->space = new_space(t);
}

/*
 * Keeps the mappings that were read of a process for the kernel side, in the process itself or in
 * the one that replaces it.
 */
static void keep_ahead(struct mp_process *p, const struct mp_process *read)
{
	struct mp_space *s = read->ahead ? read->ahead : read->space;

	if (p->ahead || !s->n)
		return;
	s->refs++;
	p->ahead = s;
	p->ahead_ns = read->ahead ? read->ahead_ns : read->scanned_ns;
}

/*
 * A process was scanned before the record of its fork is handled. If the mappings of its parent are
 * not known, since the parent called execve() later, those that were scanned are taken as the
 * process's own from its start.
 */
static void keep_scanned(struct mp_tasks *t, struct mp_process *p, const struct mp_process *scanned)
{
	keep_ahead(p, scanned);
	p->changed_ns = scanned->changed_ns;
	p->uid = scanned->uid;
	p->uid_ns = scanned->uid_ns;
	if (p->space->n)
		return;
	drop_space(t, p->space);
	p->space = scanned->space;
	p->space->refs++;
}

void mp_tasks_foresee(struct mp_tasks *t, pid_t tid, uint64_t time_ns, bool exec)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (!task || time_ns >= task->process->scan_ended_ns)
		return;
	if (!task->restored) {
		set_unknown(task);
		log_task(t, task);
	}
	if (!exec)
		return;
	keep_ahead(task->process, task->process);
	forget_mappings(t, task->process);
}

void mp_tasks_comm(struct mp_tasks *t, pid_t pid, pid_t tid, struct mp_str comm, bool exec,
		   uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(t, tid);
	struct mp_process *p = process_of(t, pid);

	if (!task)
		task = add_task(t, tid, p ? p : new_process(t, pid, NULL));
	if (time_ns >= task->named_ns) {
		set_comm(task, comm);
		task->named_ns = time_ns;
		task->restored = false;
		log_task(t, task);
	}
	if (!exec)
		return;
	task->process->uid_ns = 0;
	task->process->crowded = false;
	forget_mappings(t, task->process);
}

void mp_tasks_fork(struct mp_tasks *t, pid_t pid, pid_t tid, pid_t parent_pid, pid_t parent_tid,
		   uint64_t time_ns)
{
	struct mp_task *parent = mp_tasks_get(t, parent_pid, parent_tid), *task;
	struct mp_process *p =
		pid == parent_pid ? parent->process : new_process(t, pid, parent->process->space);
	bool late; /* it has a name from a later record */
	uint64_t dead_ns;

	if (pid != parent_pid) {
		p->uid = parent->process->uid;
		p->uid_ns = parent->process->uid_ns;
	}
	task = mp_tasks_find(t, tid);
	if (pid != parent_pid && task && !task->dead_ns && task->process->pid == pid)
		keep_scanned(t, p, task->process);
	p->tables |= parent->process->tables;
	late = task && task->named_ns > time_ns;
	dead_ns = late ? task->dead_ns : 0;
	task = add_task(t, tid, p);
	task->dead_ns = dead_ns;
	task->source = mp_pids_has(&t->sources, tid) ? tid : parent->source;
	if (!late)
		inherit_name(task, parent, time_ns);
	log_task(t, task);
}

void mp_tasks_exit(struct mp_tasks *t, pid_t tid, uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (task) {
		task->dead_ns = time_ns;
		log_task(t, task);
	}
	mp_pids_remove(&t->sources, tid);
}

/* Replaces the mappings of a process, which seem to be too many, by those that it has now. */
static void read_again(struct mp_tasks *t, struct mp_process *p)
{
	uint64_t now = mp_monotonic_ns();
	struct mp_space *s;

	if (p->crowded || now - MP_MAX(p->read_again_ns, p->scan_ended_ns) < READ_APART_NS)
		return;
	p->read_again_ns = now;
	s = new_space(t);
	read_maps(t, p, s);
	if (!s->n) {
		drop_space(t, s);
		return;
	}
	drop_space(t, p->space);
	p->space = s;
	p->crowded = s->n > MAPPINGS_MAX / 2;
}

void mp_tasks_mmap(struct mp_tasks *t, pid_t pid, pid_t tid, const struct mp_proc_map *map)
{
	struct mp_task *task = mp_tasks_get(t, pid, tid);

	if (t->dso && task->process->space->n >= MAPPINGS_MAX)
		read_again(t, task->process);
	if (t->dso)
		add_mapping(t, task->process, change_space(t, task->process), map);
}

static bool died_before(const struct mp_task *task, uint64_t before_ns)
{
	return task->dead_ns && task->dead_ns < before_ns;
}

void mp_tasks_prune(struct mp_tasks *t, uint64_t before_ns)
{
	struct mp_intmap_entry *e;

	mp_intmap_each (&t->by_tid, e) {
		while (e->value && died_before(task_of(e), before_ns)) {
			if (t->log)
				mp_task_log_remove(t->log, task_of(e)->slot);
			free_task(t, task_of(e));
			mp_intmap_remove(&t->by_tid, e);
		}
	}
}
