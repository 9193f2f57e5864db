// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/lookup.h"

#include "lib/capture/host/archs.h"

/* Finds the processes of the target. */
static void find_processes(struct mp_pids *pids, const struct mp_record_plan *p)
{
	size_t i;
	pid_t pid;

	for (i = 0; i < p->processes.n; i++)
		mp_pids_add(pids, p->processes.v[i]);
	for (i = 0; i < p->target.tids.n; i++) {
		pid = mp_proc_process_of(p->target.tids.v[i]);
		if (pid > 0 && !mp_pids_has(pids, pid))
			mp_pids_add(pids, pid);
	}
}

void mp_record_lookup_init(struct mp_record_lookup *l, const struct mp_record_plan *p)
{
	size_t i;

	mp_opener_init(&l->opener);
	mp_symbols_init(&l->symbols, &l->opener);
	mp_chain_texts_init(&l->stacks, &l->symbols);
	if (p->user_stacks)
		mp_unwinder_init(&l->unwinder, mp_arch_here(), &l->symbols.dsos);
	mp_tasks_init(&l->tasks, p->user_stacks ? mp_symbols_dso : NULL, &l->symbols);
	for (i = 0; i < p->events.n; i++)
		l->tasks.inner |= !!(p->events.v[i].context & MP_CTX_INNER);
	mp_formatter_init(&l->formatter, &p->events, &l->tasks, &l->stacks, &l->unwinder);
	if (!p->whole)
		find_processes(&l->found, p);
}

void mp_record_lookup_scan(struct mp_record_lookup *l, const struct mp_record_plan *p)
{
	struct mp_pids all = { NULL, 0, 0 }, *found = p->everyone ? &all : &l->found;
	size_t i;

	if (p->everyone)
		mp_proc_processes(&all);
	for (i = 0; i < found->n; i++)
		mp_tasks_scan(&l->tasks, found->v[i]);
	mp_pids_release(&all);
}

void mp_record_lookup_release(struct mp_record_lookup *l)
{
	mp_tasks_release(&l->tasks);
	mp_formatter_release(&l->formatter);
	mp_chain_texts_release(&l->stacks);
	mp_unwinder_release(&l->unwinder);
	mp_symbols_release(&l->symbols);
	mp_pids_release(&l->found);
}
