// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/walk_tables.h"

#include "lib/core/clock.h"

enum {
	/* least time between two reads of /proc, each of which takes 0.1 ms */
	LOOK_APART_NS = 1000000,
	/*
	 * The same mappings are sent again after this time, since the kernel side drops tables when
	 * it has no room. The kernel side answers, which takes two context switches.
	 */
	SAME_APART_NS = 10000000,
};

/* Instead of a uid + 1: the share of the user was used up. */
#define REFUSED UINT64_MAX

static struct mp_cut_mapping translate(struct mp_dsos *d, const struct mp_mapping *m)
{
	struct mp_cut_mapping to = { .start = m->start, .end = m->end };
	uint64_t delta;

	if (!m->dso)
		return to;
	/*
	 * the segments of a file, which the bias depends on, are read with its call frame
	 * information
	 */
	if (!m->dso->cfi_id)
		mp_dso_cfi(d, m->dso);
	if (!mp_segments_delta(&m->dso->segments, m->offset, m->end - m->start, &delta))
		return to;
	to.bias = m->start - m->offset - delta;
	to.file = m->dso->number;
	return to;
}

void mp_walk_tables_init(struct mp_walk_tables *t)
{
	mp_intmap_init(&t->charged);
}

void mp_walk_tables_release(struct mp_walk_tables *t)
{
	mp_intmap_release(&t->charged);
	mp_pids_release(&t->changed);
}

/*
 * Whether the user of a process has room left for the tables of its address space, which is charged
 * to the user once. Otherwise the stacks of the process are copied, which has a limit by user.
 */
static bool has_room(struct mp_walk_tables *t, struct mp_process *p, const struct mp_space *s)
{
	uint64_t charged = mp_intmap_get(&t->charged, s->number);
	struct mp_budget_who who;

	if (charged)
		return charged != REFUSED;
	who = mp_tasks_who(t->tasks, p, NULL);
	if (!mp_budget_take(t->tasks->budget, MP_BUDGET_SPACES, &who, 1)) {
		mp_intmap_add(&t->charged, s->number, REFUSED);
		return false;
	}
	mp_intmap_add(&t->charged, s->number, (uint64_t)who.uid + 1);
	return true;
}

/* Sends the mappings, as many as the tables have room for. */
static void send(struct mp_walk_tables *t, struct mp_process *process, const struct mp_space *s,
		 uint64_t time_ns)
{
	struct mp_cut_space to = {
		.pid = (uint32_t)process->pid,
		.time_ns = time_ns,
		.number = s->number,
		.state = s->id,
		.v = t->v,
	};
	const struct mp_mapping *m;

	process->tables = true;
	if (process->pid == 0 || t->ended ||
	    (process->sent == s->id && mp_monotonic_ns() - process->sent_ns < SAME_APART_NS) ||
	    !has_room(t, process, s))
		return;
	process->sent = s->id;
	for (m = mp_space_after(s, 0); m && to.n < MP_BPF_MAPPINGS; m = mp_space_after(s, m->end))
		t->v[to.n++] = translate(t->dsos, m);
	t->walker.update(t->walker.arg, &to);
	/* not the time at the beginning: reading new files may take longer than SAME_APART_NS */
	process->sent_ns = mp_monotonic_ns();
}

void mp_walk_tables_update(struct mp_walk_tables *t, struct mp_process *process, uint64_t time_ns)
{
	if (process->ahead && time_ns < process->ahead_ns) {
		send(t, process, process->ahead, process->ahead_ns);
		return;
	}
	send(t, process, process->space, time_ns);
	mp_tasks_caught_up(t->tasks, process);
}

void mp_walk_tables_changed(struct mp_walk_tables *t, const struct mp_task *task, uint64_t time_ns)
{
	if (!task->process->unsent_ns)
		mp_pids_add(&t->changed, task->tid);
	task->process->unsent_ns = time_ns;
}

void mp_walk_tables_flush(struct mp_walk_tables *t)
{
	size_t i;

	for (i = 0; i < t->changed.n; i++) {
		struct mp_task *task = mp_tasks_find(t->tasks, t->changed.v[i]);
		struct mp_process *p = task ? task->process : NULL;

		if (!p || !p->unsent_ns)
			continue;
		if (!task->dead_ns || p->refs > 1) /* the process has not ended */
			mp_walk_tables_update(t, p, p->unsent_ns);
		p->unsent_ns = 0;
	}
	t->changed.n = 0;
}

static bool may_look(struct mp_walk_tables *t)
{
	uint64_t now = mp_monotonic_ns();

	if (t->ended || now - t->looked_ns < LOOK_APART_NS)
		return false;
	t->looked_ns = now;
	return true;
}

/*
 * Whether records that change the mappings of the process, or that say what the task is, wait to be
 * handled.
 */
static bool waits_for_records(const struct mp_process *p, uint64_t merged_ns)
{
	return !p || (p->changed_ns >= merged_ns && p->changed_ns > p->ahead_ns);
}

void mp_walk_tables_copied(struct mp_walk_tables *t, pid_t tid, uint64_t merged_ns)
{
	struct mp_task *task = mp_tasks_find(t->tasks, tid);
	struct mp_process *p = task ? task->process : NULL;
	bool look = waits_for_records(p, merged_ns);

	if (look ? !may_look(t) : p->tables)
		return;
	if (!p) {
		p = mp_tasks_get(t->tasks, -1, tid)->process;
		merged_ns = p->scanned_ns;
	} else if (look) {
		mp_tasks_look_ahead(t->tasks, p);
	}
	mp_walk_tables_update(t, p, merged_ns);
}

void mp_walk_tables_forget(void *tables, const struct mp_space *space)
{
	struct mp_walk_tables *t = tables;
	struct mp_intmap_entry *e = mp_intmap_find(&t->charged, space->number);
	uint64_t uid = e->value;

	if (!uid)
		return;
	mp_intmap_remove(&t->charged, e);
	if (uid == REFUSED)
		return;
	mp_budget_give(t->tasks->budget, MP_BUDGET_SPACES, (uid_t)(uid - 1), 1);
	t->walker.forget(t->walker.arg, space->number);
}

void mp_walk_tables_forget_file(void *tables, uint32_t file)
{
	const struct mp_walk_tables *t = tables;

	t->walker.forget_file(t->walker.arg, file);
}

void mp_walk_tables_rows(void *dsos, uint32_t file, struct mp_cut_rows *answer)
{
	struct mp_dsos *d = dsos;
	struct mp_dso *dso = mp_dsos_numbered(d, file);

	*answer = (struct mp_cut_rows){ .n = 0 };
	if (dso)
		answer->v = mp_dso_walk_rows(d, dso, &answer->n);
}
