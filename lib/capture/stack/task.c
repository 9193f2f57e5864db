// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/task.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/core/clock.h"

enum { UID_NS = 1000000000 }; /* how long a uid is believed */

void mp_tasks_init(struct mp_tasks *t,
		   struct mp_dso *(*dso)(void *arg, const struct mp_proc_map *map, pid_t pid),
		   void *arg)
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
	free(s->v);
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
	s->v = mp_memdup(old->v, old->n * sizeof(*old->v));
	s->n = s->cap = old->n;
	s->has_anonymous = old->has_anonymous;
	drop_space(t, old);
	p->space = s;
	return s;
}

static struct mp_task *task_of(const struct mp_intmap_entry *e)
{
	return (struct mp_task *)(uintptr_t)e->value;
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

/* Gives a task the name ":TID", which means an unknown one. */
static void set_unknown(struct mp_task *task)
{
	char name[16];

	snprintf(name, sizeof(name), ":%d", (int)task->tid);
	set_comm(task, mp_str(name));
}

/* Starts a task; an ended one may have had the same tid. */
static struct mp_task *add_task(struct mp_tasks *t, pid_t tid, struct mp_process *p)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (!task) {
		task = mp_zalloc(sizeof(*task));
		task->tid = tid;
		mp_intmap_add_pointer(&t->by_tid, (uint32_t)tid, task);
	}
	task->dead_ns = 0;
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

static void insert_mapping(struct mp_space *s, const struct mp_mapping *m)
{
	size_t first = 0, last, n_tail;
	struct mp_mapping tail[2];

	while (first < s->n && s->v[first].end <= m->start)
		first++;
	for (last = first; last < s->n && s->v[last].start < m->end;)
		last++;
	/* the remaining parts of mappings that the new one overlaps */
	n_tail = 0;
	if (first < last && s->v[last - 1].end > m->end) {
		tail[n_tail] = s->v[last - 1];
		tail[n_tail].offset += m->end - tail[n_tail].start;
		tail[n_tail++].start = m->end;
	}
	if (first < last && s->v[first].start < m->start)
		s->v[first++].end = m->start;
	s->v = mp_grow(s->v, &s->cap, s->n + 2, sizeof(*s->v));
	last = MP_MAX(last, first);
	memmove(s->v + first + 1 + n_tail, s->v + last, (s->n - last) * sizeof(*s->v));
	s->v[first] = *m;
	if (n_tail)
		s->v[first + 1] = tail[0];
	s->n = s->n - (last - first) + 1 + n_tail;
}

static void add_mapping(struct mp_tasks *t, struct mp_space *s, const struct mp_proc_map *map,
			pid_t pid)
{
	struct mp_mapping m = { map->start, map->end, map->offset, NULL };

	if (map->end <= map->start)
		return;
	m.dso = t->dso(t->dso_arg, map, pid);
	s->has_anonymous |= !m.dso;
	insert_mapping(s, &m);
}

struct scan {
	struct mp_tasks *tasks;
	struct mp_space *to;
	pid_t pid;
};

static void scan_map(void *arg, const struct mp_proc_map *map)
{
	struct scan *s = arg;

	add_mapping(s->tasks, s->to, map, s->pid);
}

void mp_tasks_scan(struct mp_tasks *t, pid_t pid)
{
	struct mp_process *p = new_process(t, pid, NULL);
	struct scan s = { t, p->space, pid };
	struct mp_pids tids = { NULL, 0, 0 };
	struct mp_task *task;
	char comm[64];
	size_t len, i;

	p->refs++;
	p->scanned_ns = p->uid_ns = mp_monotonic_ns();
	p->uid = mp_proc_uid(pid);
	mp_proc_threads(pid, &tids);
	for (i = 0; i < tids.n; i++) {
		if (!mp_proc_comm(pid, tids.v[i], comm, &len))
			continue;
		task = add_task(t, tids.v[i], p);
		set_comm(task, (struct mp_str){ comm, len });
		if (t->inner)
			mp_proc_inner_ids(task->tid, &task->inner_pid, &task->inner_tid);
	}
	if (tids.n && t->dso)
		mp_proc_maps(pid, scan_map, &s);
	mp_pids_release(&tids);
	p->scan_ended_ns = mp_monotonic_ns();
	drop_process(t, p);
}

void mp_tasks_look_ahead(struct mp_tasks *t, struct mp_process *p)
{
	struct scan s = { t, new_space(t), p->pid };
	uint64_t now = mp_monotonic_ns();

	mp_proc_maps(p->pid, scan_map, &s);
	if (!s.to->n) {
		drop_space(t, s.to);
		return;
	}
	mp_tasks_caught_up(t, p);
	p->ahead = s.to;
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
	return task;
}

struct mp_budget_who mp_tasks_who(const struct mp_tasks *t, struct mp_process *p, const char *file)
{
	const struct mp_task *leader = mp_tasks_find(t, p->pid);
	struct mp_budget_who who = { .pid = p->pid, .file = file };
	uint64_t now = mp_monotonic_ns();
	uid_t uid;

	/* the pid of an ended process may be another's */
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

/* Keeps for the kernel side what was read of a process, for itself or what replaces it. */
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
 * not known, since the parent called execve() later, its own are those that it had from the start.
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
	set_unknown(task);
	if (!exec)
		return;
	keep_ahead(task->process, task->process);
	forget_mappings(t, task->process);
}

void mp_tasks_comm(struct mp_tasks *t, pid_t pid, pid_t tid, struct mp_str comm, bool exec)
{
	struct mp_task *task = mp_tasks_find(t, tid);
	struct mp_process *p = process_of(t, pid);

	if (!task)
		task = add_task(t, tid, p ? p : new_process(t, pid, NULL));
	set_comm(task, comm);
	if (!exec)
		return;
	task->process->uid_ns = 0;
	forget_mappings(t, task->process);
}

void mp_tasks_fork(struct mp_tasks *t, pid_t pid, pid_t tid, pid_t parent_pid, pid_t parent_tid)
{
	struct mp_task *parent = mp_tasks_get(t, parent_pid, parent_tid), *task;
	struct mp_process *p =
		pid == parent_pid ? parent->process : new_process(t, pid, parent->process->space);

	if (pid != parent_pid) {
		p->uid = parent->process->uid;
		p->uid_ns = parent->process->uid_ns;
	}
	task = mp_tasks_find(t, tid);
	if (pid != parent_pid && task && !task->dead_ns && task->process->pid == pid)
		keep_scanned(t, p, task->process);
	p->tables |= parent->process->tables;
	task = add_task(t, tid, p);
	task->source = mp_pids_has(&t->sources, tid) ? tid : parent->source;
	set_comm(task, (struct mp_str){ parent->comm, parent->comm_len });
}

void mp_tasks_exit(struct mp_tasks *t, pid_t tid, uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(t, tid);

	if (task)
		task->dead_ns = time_ns;
	mp_pids_remove(&t->sources, tid);
}

void mp_tasks_mmap(struct mp_tasks *t, pid_t pid, pid_t tid, const struct mp_proc_map *map)
{
	struct mp_task *task = mp_tasks_get(t, pid, tid);

	if (t->dso)
		add_mapping(t, change_space(t, task->process), map, pid);
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
			free_task(t, task_of(e));
			mp_intmap_remove(&t->by_tid, e);
		}
	}
}

const struct mp_mapping *mp_space_find(const struct mp_space *s, uint64_t addr)
{
	size_t at = MP_COUNT_FIRST(s->n, i, s->v[i].end <= addr);

	return at < s->n && s->v[at].start <= addr ? &s->v[at] : NULL;
}
