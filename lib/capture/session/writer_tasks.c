// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_tasks.h"

#include "lib/capture/host/record.h"

static void handle_mmap(struct mp_writer_tasks *w, const struct mp_record_mmap2 *r)
{
	struct mp_proc_map map = {
		.start = r->addr,
		.end = r->addr + r->len,
		.offset = r->pgoff,
		.major = r->maj,
		.minor = r->min,
		.inode = r->ino,
		.path = r->filename,
	};

	if (mp_record_text(&r->header, r->filename).len == 0)
		map.path = "";
	mp_tasks_mmap(w->tasks, r->pid, r->tid, &map);
}

/*
 * Sends the mappings of a process for its BPF tables: of any process if the whole system is
 * recorded, otherwise only of processes that have tables.
 */
static void update_tables(struct mp_writer_tasks *w, pid_t tid, uint64_t time_ns)
{
	struct mp_task *task = mp_tasks_find(w->tasks, tid);

	if (w->tables && task && (w->everyone || task->process->tables))
		mp_walk_tables_changed(w->tables, task, time_ns);
}

/* Counts records that the collector dropped because their user makes too many. */
static void handle_refused(struct mp_writer_tasks *w, const struct mp_record_refused *r)
{
	const struct mp_task *leader = mp_tasks_find(w->tasks, (pid_t)r->pid);
	struct mp_budget_who who = { .uid = r->uid, .pid = (pid_t)r->pid, .file = r->file };

	if (leader)
		who.comm = (struct mp_str){ leader->comm, leader->comm_len };
	if (r->kind < MP_BUDGET_KINDS)
		mp_budget_refused(w->tasks->budget, (enum mp_budget_kind)r->kind, &who, r->n);
}

void mp_writer_task(struct mp_writer_tasks *w, const struct mp_queue_record *x, bool repeats)
{
	const struct perf_event_header *h = x->record;
	const struct mp_record_comm *comm = (const struct mp_record_comm *)h;
	const struct mp_record_fork *task = (const struct mp_record_fork *)h;

	switch (h->type) {
	case PERF_RECORD_COMM:
		mp_tasks_comm(w->tasks, comm->pid, comm->tid, mp_record_text(h, comm->comm),
			      h->misc & PERF_RECORD_MISC_COMM_EXEC, x->time_ns);
		break;
	case PERF_RECORD_FORK:
		mp_tasks_fork(w->tasks, task->pid, task->tid, task->ppid, task->ptid, x->time_ns);
		update_tables(w, task->tid, x->time_ns);
		break;
	case PERF_RECORD_EXIT:
		mp_tasks_exit(w->tasks, task->tid, x->time_ns);
		break;
	case PERF_RECORD_MMAP2:
		handle_mmap(w, (const struct mp_record_mmap2 *)h);
		update_tables(w, ((const struct mp_record_mmap2 *)h)->tid, x->time_ns);
		break;
	case PERF_RECORD_LOST:
		if (!repeats)
			w->counts->all.track_lost += ((const struct mp_record_lost *)h)->lost;
		break;
	case MP_TRACK_REFUSED:
		handle_refused(w, (const struct mp_record_refused *)h);
		break;
	}
}

bool mp_writer_stack(struct mp_writer_tasks *w, const struct mp_queue_record *x)
{
	const struct perf_event_header *h = x->record;

	if (h->type == MP_TRACK_REFUSED) {
		handle_refused(w, (const struct mp_record_refused *)h);
		return true;
	}
	if (h->type == MP_BPF_RECORD || h->type == MP_BPF_COPY)
		return mp_pending_stacks_put(w->stacks, (const void *)h);
	return h->type == MP_AGG_STACK && w->aggregator &&
	       mp_aggregator_stack(w->aggregator, (const void *)h, &w->symbols);
}

void mp_writer_note_task(struct mp_writer_tasks *w, const struct mp_queue_record *x)
{
	const struct mp_record_comm *comm = (const struct mp_record_comm *)x->record;
	bool exec = x->record->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (x->record->type == PERF_RECORD_COMM)
		mp_tasks_foresee(w->tasks, comm->tid, x->time_ns, exec);
	if (x->record->type == PERF_RECORD_MMAP2 || (x->record->type == PERF_RECORD_COMM && exec))
		mp_tasks_changed(w->tasks, comm->tid, x->time_ns);
}
