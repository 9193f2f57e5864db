// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/lookup.h"

#include "lib/capture/host/archs.h"

void mp_record_lookup_init(struct mp_record_lookup *l)
{
	mp_budget_init(&l->budget, "/etc/subuid");
	mp_opener_init(&l->opener);
	mp_symbols_init(&l->symbols, &l->opener);
	l->symbols.dsos.budget = &l->budget;
	mp_chain_texts_init(&l->stacks, &l->symbols);
}

void mp_record_lookup_start(struct mp_record_lookup *l, const struct mp_cut_plan *plan)
{
	size_t i;

	if (plan->user_stacks)
		mp_unwinder_init(&l->unwinder, mp_arch_here(), &l->symbols.dsos);
	mp_tasks_init(&l->tasks, plan->user_stacks ? mp_symbols_dso : NULL, &l->symbols);
	l->tasks.budget = &l->budget;
	l->budget.trusted = plan->uid;
	l->budget.no_reserve = !plan->everyone;
	mp_chain_texts_limit(&l->stacks, &l->budget, &l->tasks);
	for (i = 0; i < plan->events.n; i++) {
		l->tasks.inner |= !!(plan->events.v[i].context & MP_CTX_INNER);
		l->symbols.places |= !!(plan->events.v[i].context & MP_CTX_PLACES);
	}
	l->symbols.kernel_id = mp_str(plan->kernel_id ? plan->kernel_id : "");
	for (i = 0; i < plan->sources.n; i++)
		mp_pids_add(&l->tasks.sources, plan->sources.v[i]);
	mp_formatter_init(&l->formatter, &plan->events, &l->tasks, &l->stacks, &l->unwinder);
	l->formatter.inner = plan->inner;
}

void mp_record_lookup_scan(struct mp_record_lookup *l, const struct mp_cut_plan *plan)
{
	struct mp_pids all = { NULL, 0, 0 };
	const struct mp_pids *found = plan->everyone ? &all : &plan->found;
	size_t i;

	if (plan->everyone)
		mp_proc_processes(&all);
	for (i = 0; i < found->n; i++)
		mp_tasks_scan(&l->tasks, found->v[i]);
	mp_pids_release(&all);
}
